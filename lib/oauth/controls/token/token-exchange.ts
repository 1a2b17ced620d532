import { type JWTPayload, SignJWT } from 'jose';
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from '@/lib/contract/lab-paths';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { TokenOutcome, Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields, TokenOptions } from '@/lib/oauth/assessment/requests';
import { isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createLesserFailure,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';
import { generateUntrustedKey } from '@/lib/oauth/controls/resource/forged-tokens';
import { revoke } from '@/lib/oauth/controls/revoke';
import { BAD_CREDENTIALS, createBadCredentials, isUnauthenticated } from '@/lib/oauth/controls/token/unauthenticated';
import { isJwt, putTogether, readScope, takeApart } from '@/lib/oauth/controls/token-parts';
import { UNREGISTERED_SCOPE } from '@/lib/oauth/controls/unregistered-scope';
import { SPELLINGS_OF_NONE } from '@/lib/oauth/token/forgeries';

/** A client that may exchange its own access token, and that token. */
interface ExchangeableToken {
  client: TargetClient;
  tokens: Tokens;
}

/** Sends a token exchange (RFC 8693 section 2.1) of a token that is said to be an access token. */
const exchangeToken = (probe: Probe, label: string, token: string, fields: Fields = {}, options: TokenOptions = {}) =>
  probe.sendTokenRequest(
    label,
    { grant_type: TOKEN_EXCHANGE_GRANT, subject_token: token, subject_token_type: ACCESS_TOKEN_TYPE, ...fields },
    { client: options.client ?? probe.requireConfidentialClient(), ...options },
  );

const NOT_OFFERED = new Set(['unsupported_grant_type', 'unauthorized_client']);

/**
 * Exchanges an access token of a confidential client. A public client only shows that the server has no such grant.
 * @throws CannotProbe not_applicable if the server offers that to no client here, inconclusive if it is refused
 */
async function requireTokenExchange(probe: Probe): Promise<ExchangeableToken> {
  const { grant_types_supported: grants } = await probe.fetchServerMetadata();
  const isListed = Array.isArray(grants) && grants.includes(TOKEN_EXCHANGE_GRANT);
  const confidential = probe.listClients().find(isConfidential);
  const client = confidential ?? (isListed ? probe.requireConfidentialClient() : probe.requireClient());
  const tokens = await probe.runOnce('exchanged token', () => probe.runCodeFlow({}, { client }));
  const send = () => exchangeToken(probe, 'Exchange a valid token', tokens.accessToken, {}, { client });
  const outcome = await redeemRefusably(probe, send);
  if (outcome.kind === 'issued') return { client: confidential ?? probe.requireConfidentialClient(), tokens };
  const compared = compareTokens(outcome);
  // A public client may be refused because it is public.
  const isAbsent =
    confidential === undefined
      ? outcome.error === 'unsupported_grant_type'
      : !isListed || NOT_OFFERED.has(outcome.error ?? '');
  if (compared.kind === 'refused' && isAbsent)
    throw new CannotProbe('not_applicable', 'The server offers this client no token exchange.');
  const why = outcome.error ?? (compared.kind === 'undecided' ? compared.why : `the answer is ${outcome.status}`);
  throw new CannotProbe('inconclusive', `A valid exchange is refused, too: ${why}.`);
}

/** Compares exchanges of bad subject tokens. Of several spellings, one that is accepted is enough to fail. */
async function compareSubjects(
  probe: Probe,
  bad: Readonly<Record<string, string[]>>,
): Promise<Map<string, Comparison>> {
  const comparisons = new Map<string, Comparison>();
  for (const [label, tokens] of Object.entries(bad)) {
    for (const token of tokens) {
      const compared = compareTokens(await exchangeToken(probe, `Exchange ${label}`, token));
      if (compared.kind === 'accepted' || comparisons.get(label)?.kind !== 'undecided')
        comparisons.set(label, compared);
      if (compared.kind === 'accepted') break;
    }
  }
  return comparisons;
}

/** Creates subject tokens that must be refused, by their fault. Those of a JWT are left out if the token is opaque. */
async function createBadSubjects(probe: Probe, token: string): Promise<Record<string, string[]>> {
  const altered = `${token.slice(0, -4)}${[...token.slice(-4)].reverse().join('')}`;
  const bad = {
    'an invented token': [probe.generateRandomText()],
    ...(altered === token ? {} : { 'a token whose end is changed': [altered] }),
  };
  if (!isJwt(token)) return bad;
  const { header, claims, signature } = takeApart(token);
  const { alg, privateKey } = await generateUntrustedKey(header.alg);
  const { forge } = probe.target.capabilities;
  const signUntrusted = (given: JWTPayload) =>
    new SignJWT(given).setProtectedHeader({ ...header, alg }).sign(privateKey);
  return {
    ...bad,
    'a changed payload under the old signature': [putTogether(header, { ...claims, sub: 'another-user' }, signature)],
    'a token with alg none': SPELLINGS_OF_NONE.map((each) => putTogether({ ...header, alg: each }, claims, '')),
    'a token of another key': [await signUntrusted(claims)],
    'a token of another issuer': [await (forge ?? signUntrusted)({ ...claims, iss: 'https://unregistered.example' })],
    ...(forge === undefined ? {} : { 'an expired token': [await forge({ ...claims, exp: probe.now() - 60 })] }),
  };
}

/**
 * Returns a revoked access token, or null if nothing shows that the server revoked it.
 * @throws CannotProbe not_applicable if it revokes none
 */
async function requestRevokedToken(probe: Probe, client: TargetClient): Promise<string | null> {
  if (probe.target.resource === null) return null;
  await probe.requireEndpoint('revocation_endpoint', client);
  const { accessToken } = await probe.runCodeFlow({}, { client });
  if (!(await probe.presentToken('Use the token before its revocation', accessToken)).accepted) return null;
  await revoke(probe, 'access token', accessToken, { client });
  return (await probe.presentToken('Use the token after its revocation', accessToken)).accepted ? null : accessToken;
}

/** Returns whether an exchange gave a scope. Unnamed scopes count as not given. */
function hasGained(outcome: TokenOutcome, scope: string): boolean {
  if (outcome.kind !== 'issued') return false;
  const { scope: named, accessToken } = outcome.tokens;
  return (readScope(accessToken) ?? named ?? '').split(' ').includes(scope);
}

/** Controls for the token exchange grant (RFC 8693). */
export const TOKEN_EXCHANGE: readonly Control[] = [
  defineControl({
    id: 'token-exchange-authentication',
    title: 'Only authenticated clients exchange tokens',
    wrong: 'Anyone exchanges tokens in the name of a client',
    severity: 'high',
    area: 'token',
    source: ['RFC 8693 2.1', 'RFC 8693 5'],
    switchable: false,
    needs: ['client', 'login', 'confidential client'],
    protectsFrom: 'Who finds an access token turns it into one for other services.',
    tries: { ...BAD_CREDENTIALS, 'no credentials': 'RFC 8693 5', 'wrong credentials': 'RFC 8693 2.1' },
    async probe(probe) {
      const { client, tokens } = await requireTokenExchange(probe);
      const comparisons = new Map<string, Comparison>();
      for (const [label, credentials] of Object.entries(await createBadCredentials(probe, client))) {
        const outcome = await exchangeToken(
          probe,
          `Exchange with ${label}`,
          tokens.accessToken,
          {},
          { client, credentials },
        );
        comparisons.set(label, compareTokens(outcome));
      }
      const isOpen = [...comparisons.values()].some(({ kind }) => kind === 'accepted');
      if (isOpen && (await isUnauthenticated(probe, client))) throw createBroaderControlError('client-authentication');
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'token-exchange-subject',
    title: 'Only valid tokens are exchanged',
    wrong: 'Forged or ended tokens are exchanged for valid ones',
    severity: 'critical',
    area: 'token',
    source: ['RFC 8693 2.1', 'RFC 8693 2.2.2'],
    switchable: true,
    needs: ['client', 'login', 'confidential client'],
    cost: 'ends-grant',
    protectsFrom: 'A client forges a token of any user, and gets a genuine one for it.',
    tries: {
      'an invented token': 'RFC 8693 2.2.2',
      'a token whose end is changed': 'RFC 8693 2.1',
      'an empty token': 'CVE-2026-9704',
      'a changed payload under the old signature': 'RFC 7515 5.2',
      'a token with alg none': 'CVE-2026-28802, CVE-2022-23540',
      'a token of another key': 'RFC 8725 3.3',
      'a token of another issuer': 'RFC 8725 3.8',
      'an expired token': 'RFC 8693 2.1',
      'a revoked token': 'openziti/ziti#2255',
    },
    async probe(probe) {
      const { client, tokens } = await requireTokenExchange(probe);
      const bad = { 'an empty token': [''], ...(await createBadSubjects(probe, tokens.accessToken)) };
      const revoked = await requestRevokedToken(probe, client).catch(ignoreUndecided);
      const comparisons = await compareSubjects(
        probe,
        revoked === null ? bad : { ...bad, 'a revoked token': [revoked] },
      );
      // A revocation may have ended the grant of the token that was exchanged before.
      probe.forget('exchanged token');
      await requireTokenExchange(probe);
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'token-exchange-type',
    title: 'A subject token is of the type that the request names',
    wrong: 'ID or refresh tokens are exchanged as access tokens',
    severity: 'medium',
    area: 'token',
    source: ['RFC 8693 2.1', 'RFC 8725 3.11'],
    switchable: true,
    needs: ['client', 'login', 'confidential client'],
    protectsFrom: 'An ID token, which many parties see, becomes an access token.',
    tries: {
      'an ID token as an access token': 'Abblix/Oidc.Server#175',
      'a refresh token as an access token': 'RFC 8693 2.1',
    },
    async probe(probe) {
      const { tokens } = await requireTokenExchange(probe);
      const { idToken, refreshToken } = tokens;
      if (idToken === null && refreshToken === null)
        throw new CannotProbe('not_applicable', 'The server issues neither ID nor refresh tokens to this client.');
      return compareSubjects(probe, {
        ...(idToken === null ? {} : { 'an ID token as an access token': [idToken] }),
        ...(refreshToken === null ? {} : { 'a refresh token as an access token': [refreshToken] }),
      });
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'token-exchange-scope',
    title: 'An exchange does not widen the scope',
    wrong: 'An exchange widens the scope',
    severity: 'high',
    area: 'token',
    source: ['RFC 8693 2.1', 'RFC 6749 3.3'],
    switchable: true,
    needs: ['client', 'login', 'confidential client'],
    protectsFrom: 'A client gains rights that the user did not grant.',
    tries: {
      'a scope that does not exist': 'RFC 6749 3.3',
      'a scope that the subject token lacks': 'CVE-2026-56668',
    },
    async probe(probe) {
      const { client, tokens } = await requireTokenExchange(probe);
      const ask = (label: string, token: string, scope: string) => exchangeToken(probe, label, token, { scope });
      const unknown = await ask('Exchange for a scope that does not exist', tokens.accessToken, UNREGISTERED_SCOPE);
      const wider = probe.target.scope.split(' ').find((scope) => !['openid', 'offline_access', ''].includes(scope));
      const narrow = wider === undefined ? null : probe.omitFromScope(wider) || null;
      const subject =
        narrow === null ? null : await probe.runCodeFlow({ scope: narrow }, { client }).catch(ignoreUndecided);
      const isNarrow =
        subject !== null && !(subject.scope ?? readScope(subject.accessToken) ?? '').split(' ').includes(wider ?? '');
      if (subject === null || wider === undefined || !isNarrow) return { unknown, widened: null, wider: '' };
      const widened = await ask('Exchange for a scope that the subject token lacks', subject.accessToken, wider);
      return { unknown, widened, wider };
    },
    rule({ unknown, widened, wider }) {
      if (hasGained(unknown, UNREGISTERED_SCOPE)) return createFailed('A scope was granted that does not exist.');
      if (widened !== null && hasGained(widened, wider))
        return createLesserFailure('medium', `The subject token lacks ${wider}, and the new token has it.`);
      for (const outcome of widened === null ? [unknown] : [unknown, widened]) {
        const compared = compareTokens(outcome);
        if (compared.kind === 'undecided') return createInconclusive(`Undecided: ${compared.why}.`);
      }
      return widened === null
        ? createInconclusive('No token with less scope was had, so nothing could be widened.')
        : createPassed('No scope was gained.');
    },
  }),
];
