import { compareAuthorizations, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  createFailed,
  createInconclusive,
  createLesserFailure,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { introspect } from '@/lib/oauth/controls/introspect';
import { redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

/** Controls for resource indicators (RFC 8707). */
export const RESOURCE_INDICATORS: readonly Control[] = [
  defineControl({
    id: 'resource-target',
    title: 'An unknown resource is refused',
    wrong: 'Tokens are issued for any resource that is named',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 8707 2'],
    switchable: true,
    needs: ['client'],
    protectsFrom: 'A client obtains tokens for services that it must not reach.',
    tries: {
      'an unknown resource': 'GHSA-p2fr-6hmx-4528',
      'an unknown resource when redeeming': 'RFC 8707 2.2',
      'an unknown resource when refreshing': 'RFC 8707 2.2',
      'a resource that the request did not name when redeeming': 'RFC 8707 2.2',
    },
    async probe(probe) {
      const resource = 'https://another-resource.example/';
      const good = await probe.requireAccepted();
      const late = await redeemForResource(probe, resource).catch(ignoreUndecided);
      if (late === true) return { compared: { kind: 'accepted' as const }, isForIt: true, isForServer: false };
      const isForServer = (await redeemForServer(probe).catch(ignoreUndecided)) === true;
      const outcome = await authorizeRefusably(probe, () => probe.authorize('An unknown resource', { resource }));
      const compared = compareAuthorizations(good, outcome);
      if (outcome.kind !== 'granted') return { compared, isForIt: null, isForServer };
      const { code = '' } = outcome.parameters;
      const grant = { code, verifier: outcome.verifier, lifetime: null, client: probe.requireClient() };
      const redeemed = await probe.redeem('Redeem the code for it', grant, { resource });
      if (redeemed.kind === 'refused') {
        await redeemCorrectly(probe, await probe.requestCode());
        return { compared: compareTokens(redeemed), isForIt: null, isForServer };
      }
      return { compared, isForIt: await isFor(probe, resource, redeemed.tokens.accessToken), isForServer };
    },
    rule({ compared, isForIt, isForServer }) {
      if (isForIt === true) return createFailed('A token was issued for a resource that the server cannot know.');
      if (isForServer)
        return createLesserFailure(
          'low',
          'A code for one resource gave a token for the server, which it did not name.',
        );
      if (compared.kind === 'undecided') return createInconclusive(`Undecided: ${compared.why}.`);
      if (compared.kind === 'refused') return createPassed('The unknown resource was refused.');
      if (isForIt === null) return createInconclusive('A token was issued whose audience cannot be read.');
      return createNotApplicable('The server ignores the parameter: its tokens are for its own audience.');
    },
  }),
];

/** Redeems and refreshes for a resource that the authorization request did not name. Returns whether a token is for it. */
async function redeemForResource(probe: Probe, resource: string): Promise<boolean> {
  const isForIt = async (outcome: TokenOutcome) =>
    outcome.kind === 'issued' && (await isFor(probe, resource, outcome.tokens.accessToken)) === true;
  const redeemed = await probe.redeem('An unknown resource when redeeming', await probe.requestCode(), { resource });
  if (await isForIt(redeemed)) return true;
  const { refreshToken } = await probe.runCodeFlowWithRefresh();
  return isForIt(await probe.refresh('An unknown resource when refreshing', refreshToken, { resource }));
}

/**
 * Redeems a code that was requested for the resource, for the server itself. Returns whether the token is for the server,
 * and that of a correct redemption is not.
 */
async function redeemForServer(probe: Probe): Promise<boolean> {
  const { issuer } = await probe.fetchServerMetadata();
  const own = probe.target.parameters.resource ?? probe.target.resource?.url;
  // Each code would need a visit of a person's browser.
  if (probe.target.capabilities.visit !== undefined) return false;
  if (typeof issuer !== 'string' || own === undefined || own === issuer) return false;
  const redeem = async (label: string, resource: string) => {
    const outcome = await probe.redeem(label, await probe.requestCode({ resource: own }), { resource });
    return outcome.kind === 'issued' ? isFor(probe, issuer, outcome.tokens.accessToken) : null;
  };
  if ((await redeem('A resource that the request did not name when redeeming', issuer)) !== true) return false;
  return (await redeem('Redeem a code for its resource', own)) === false;
}

/**
 * Returns whether a token is for a resource: by its claims, by introspection, or because it opens another resource. Null
 * if nothing shows it.
 */
async function isFor(probe: Probe, resource: string, token: string): Promise<boolean | null> {
  const aud = decodeClaims(token).aud ?? (await introspect(probe, token)).aud;
  if (Array.isArray(aud) || typeof aud === 'string') return [aud].flat().includes(resource);
  const opensOther = probe.target.resource !== null && (await probe.presentToken('Use the token', token)).accepted;
  return opensOther ? false : null;
}
