import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { signAssertion } from '@/lib/oauth/assessment/client-credentials';
import { compareAuthorizations } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { CannotProbe, createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { isAnyVerifierAccepted } from '@/lib/oauth/controls/is-any-verifier-accepted';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { compareVariants, UNREGISTERED } from '@/lib/oauth/controls/patterns';

/** State that only a request object carries. */
const INSIDE = 'of-the-object';

/** Builds a request object without a signature (RFC 9101 section 10.1). */
function buildUnsignedObject(claims: object, header: { typ?: string } = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'none', ...header })}.${encode(claims)}.`;
}

/** Returns whether an unsigned request object takes effect, although the metadata offers none. */
async function isRequestObjectAccepted(probe: Probe): Promise<boolean> {
  const request = buildUnsignedObject({ state: INSIDE });
  const outcome = await probe.authorize('A request object that is not offered', { request });
  return outcome.kind === 'granted' && outcome.parameters.state === INSIDE;
}

/** Controls for request objects (RFC 9101). */
export const REQUEST_OBJECTS: readonly Control[] = [
  defineControl({
    id: 'jar-signature',
    title: 'Request objects are verified',
    wrong: 'Request objects are not verified',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9101 6.2', 'RFC 9101 10.1'],
    oauch: 'IsJARSignatureRequiredTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'Anyone writes requests that look signed by the client.',
    tries: {
      'an unsigned request object': 'RFC 9101 10.1, CVE-2026-9793',
      'a request object signed with an invented secret': 'RFC 9101 6.2',
      'a request object signed with an invented ES256 key': 'RFC 9101 6.2',
      'a request object signed with an invented RS256 key': 'RFC 9101 6.2',
      'a request object that brings its ES256 key along': 'RFC 8725 3.10',
    },
    async probe(probe) {
      const { request_parameter_supported: offered } = await probe.fetchServerMetadata();
      if (offered !== true && (probe.target.client === null || !(await isRequestObjectAccepted(probe))))
        throw new CannotProbe('not_applicable', 'The server does not take request objects.');
      const client = probe.requireClient();
      const claims = {
        ...Object.fromEntries(probe.buildAuthorizationParameters()),
        iss: client.id,
        aud: probe.assertionAudience,
      };
      const [elliptic, rsa] = [await generateKeyPair('ES256'), await generateKeyPair('RS256')];
      const jwk = await exportJWK(elliptic.publicKey);
      const signWith = (key: CryptoKey, header: { alg: string; jwk?: JWK }) =>
        new SignJWT(claims).setProtectedHeader({ typ: 'oauth-authz-req+jwt', ...header }).sign(key);
      const random = new TextEncoder().encode(probe.generateRandomText());
      return compareVariants(probe, {
        'an unsigned request object': {
          request: buildUnsignedObject(claims, { typ: 'oauth-authz-req+jwt' }),
        },
        'a request object signed with an invented secret': {
          request: await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(random),
        },
        'a request object signed with an invented ES256 key': {
          request: await signWith(elliptic.privateKey, { alg: 'ES256' }),
        },
        'a request object signed with an invented RS256 key': {
          request: await signWith(rsa.privateKey, { alg: 'RS256' }),
        },
        'a request object that brings its ES256 key along': {
          request: await signWith(elliptic.privateKey, { alg: 'ES256', jwk }),
        },
      });
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'jar-parameters',
    title: 'What stands beside a request object changes nothing',
    wrong: 'Parameters beside a request object replace those in it',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9101 6.3', 'OpenID Connect Core 6.1'],
    switchable: false,
    needs: ['client with a key', 'login'],
    evidence: 'authorization',
    protectsFrom: 'An attacker who changes the address of a request changes what the client signed.',
    tries: {
      'another state beside it': 'RFC 9101 6.3',
      'another redirect_uri beside it': 'RFC 9101 6.3',
      'another code_challenge beside it': 'RFC 9101 6.3',
    },
    async probe(probe) {
      const { client, sign } = await requireSigner(probe);
      const verifier = probe.generateRandomText();
      const inside = Object.fromEntries(probe.buildAuthorizationParameters({ state: INSIDE }, client, verifier));
      const send = async (label: string, fields: Fields) =>
        probe.authorize(label, { state: INSIDE, ...fields, request: await sign(inside) }, { client });
      const good = await send('A request object', { code_challenge: inside.code_challenge ?? null });
      if (good.kind !== 'granted') throw new CannotProbe('inconclusive', 'Its own request object gave no code.');
      const overridden: string[] = [];
      const state = await send('Another state beside it', { state: 'beside' });
      if (state.kind !== 'page' && state.parameters.state === 'beside') overridden.push('state');
      const moved = await send('Another redirect_uri beside it', { redirect_uri: UNREGISTERED });
      const sentTo = moved.kind === 'page' ? null : moved.kind === 'granted' ? moved.sentTo : moved.redirectedTo;
      if (sentTo?.startsWith(UNREGISTERED)) overridden.push('redirect_uri');
      // The sent challenge is that of another verifier, which must not redeem the code.
      const other = await send('Another code_challenge beside it', {});
      const code = other.kind === 'granted' ? other.parameters.code : undefined;
      if (other.kind === 'granted' && code !== undefined) {
        const redeemed = await probe.redeem('Redeem it with the other verifier', { ...other, code, client });
        if (redeemed.kind === 'issued' && !(await isAnyVerifierAccepted(probe, client)))
          overridden.push('code_challenge');
      }
      // A server may also refuse a request whose parameters contradict each other.
      const accepted = await probe.requireOutcome(good);
      return { overridden, undecided: [state, other].map((seen) => compareAuthorizations(accepted, seen)) };
    },
    rule({ overridden, undecided }) {
      if (overridden.length > 0)
        return createFailed(`What stood beside the request object replaced what it holds: ${overridden.join(', ')}.`);
      const unclear = undecided.find((compared) => compared.kind === 'undecided');
      return unclear === undefined
        ? createPassed('The request object was taken as it was signed, or refused.')
        : createInconclusive(`Undecided: ${unclear.why}.`);
    },
  }),
];

/** Returns a client, and what makes request objects that the server takes from it. @throws CannotProbe */
async function requireSigner(probe: Probe) {
  const client = probe.listClients().find(({ authentication }) => authentication.method === 'private_key_jwt');
  const isUnsigned = client === undefined && probe.target.client !== null && (await isRequestObjectAccepted(probe));
  if (client === undefined && !isUnsigned)
    throw new CannotProbe('not_applicable', 'No client with a private key is known.');
  const audience = String((await probe.fetchServerMetadata()).issuer ?? probe.assertionAudience);
  return {
    client: client ?? probe.requireClient(),
    sign: async (claims: Record<string, string>) =>
      client === undefined
        ? buildUnsignedObject(claims)
        : signAssertion(client, {
            audience,
            now: probe.now(),
            jti: probe.generateRandomText(16),
            claims: { ...claims, sub: undefined },
          }),
  };
}
