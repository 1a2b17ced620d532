import { exportSPKI, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn } from '@/lib/oauth/controls/control';
import { refusesAccessTokens } from '@/lib/oauth/controls/patterns';
import { forgeLike, publishedKeys, putTogether, takeApart } from '@/lib/oauth/controls/token-parts';

const OTHER_RESOURCE = 'https://another-resource.example/';

/** What the target signs into its tokens. @throws CannotProbe */
const workingParts = async (probe: Probe) => takeApart((await probe.workingToken()).accessToken);

/** When the working token was issued, in seconds. */
const issuedAt = async (probe: Probe): Promise<number> => Number((await workingParts(probe)).claims.iat);

/** Tokens signed with a public key as if it were a shared secret, by the form of the key (RFC 8725 section 2.1). */
export async function confusedTokens(
  header: Record<string, unknown>,
  claims: JWTPayload,
  published: JWK | undefined,
): Promise<{ pem: string; jwk: string }> {
  const jwk = required(published, 'The server publishes no key.', 'not_applicable');
  const key = await importJWK(jwk, typeof header.alg === 'string' ? header.alg : 'ES256', { extractable: true });
  if (key instanceof Uint8Array) throw new CannotProbe('not_applicable', 'The server publishes no public key.');
  const sign = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(new TextEncoder().encode(secret));
  return { pem: await sign(await exportSPKI(key)), jwk: await sign(JSON.stringify(jwk)) };
}

/** What the resource server checks in a token (RFC 9068 section 4, RFC 8725 section 3). */
export const FORGED_TOKENS = controlsIn('resource', [
  refusesAccessTokens('signature-verified', 'critical', 'The signature of a token is verified', {
    source: ['RFC 8725 3.2', 'OAuch IsSignatureCheckedTest'],
    protectsFrom: 'Anyone can write their own tokens.',
    async tokens(probe) {
      const { header, claims, signature } = await workingParts(probe);
      const changed = putTogether(header, { ...claims, sub: 'somebody-else' }, signature);
      return { 'a changed payload under the old signature': changed };
    },
  }),
  refusesAccessTokens('alg-none', 'critical', 'Tokens without a signature are refused', {
    source: ['RFC 8725 3.1', 'OAuch AcceptsNoneSignatureTest'],
    protectsFrom: 'Anyone can write their own tokens, by declaring them unsigned.',
    async tokens(probe) {
      const { header, claims } = await workingParts(probe);
      const spellings = ['none', 'None', 'NONE', 'nOnE'];
      return Object.fromEntries(
        spellings.map((alg) => [`a token with alg ${alg}`, putTogether({ ...header, alg }, claims, '')]),
      );
    },
  }),
  refusesAccessTokens('alg-confusion', 'critical', 'A public key is not used as a secret', {
    source: ['RFC 8725 3.1', 'RFC 8725 2.1'],
    protectsFrom: 'The published key signs tokens of the attacker.',
    async tokens(probe) {
      const { header, claims } = await workingParts(probe);
      const keys = await publishedKeys(probe);
      const tokens = await confusedTokens(header, claims, keys.find((key) => key.kid === header.kid) ?? keys[0]);
      return {
        'a token with HS256 and the PEM form of the public key': tokens.pem,
        'a token with HS256 and the JWK form of the public key': tokens.jwk,
      };
    },
  }),
  refusesAccessTokens('issuer-validated', 'high', 'The issuer of a token is checked', {
    source: ['RFC 9068 4'],
    protectsFrom: 'A token of another server, or of another tenant with the same key, is accepted.',
    tokens: async (probe) => ({
      'a token from another issuer': await forgeLike(probe, { iss: 'https://another-issuer.example' }),
    }),
  }),
  refusesAccessTokens('validate-audience', 'critical', 'The audience of a token is checked', {
    source: ['RFC 9068 4', 'RFC 9700 2.3'],
    protectsFrom: 'A token issued for another service is accepted here.',
    async tokens(probe) {
      await probe.workingToken();
      const token = await probe
        .flow({ resource: OTHER_RESOURCE })
        .then(({ accessToken }) => accessToken)
        .catch(() => forgeLike(probe, { aud: OTHER_RESOURCE }));
      if (![takeApart(token).claims.aud].flat().includes(OTHER_RESOURCE)) {
        throw new CannotProbe('inconclusive', 'The server issues no token for another resource.');
      }
      return { 'a token for another audience': token };
    },
  }),
  refusesAccessTokens('token-type-header', 'high', 'Only access tokens are accepted as access tokens', {
    source: ['RFC 9068 2.1', 'RFC 9068 4', 'RFC 8725 3.11'],
    protectsFrom: 'An ID token, which the client shows to others, opens the resource.',
    async tokens(probe) {
      const { idToken } = await probe.workingToken();
      const canForge = probe.target.capabilities.forge !== undefined;
      if (idToken === null && !canForge) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
      return {
        ...(idToken === null ? {} : { 'an ID token': idToken }),
        ...(canForge ? { 'a token of type JWT': await forgeLike(probe, {}, { typ: 'JWT' }) } : {}),
      };
    },
  }),
  refusesAccessTokens('token-expiry', 'high', 'Expired tokens are refused', {
    source: ['RFC 9068 4', 'OAuch IsExpirationCheckedTest'],
    protectsFrom: 'A leaked token works for ever.',
    async tokens(probe) {
      const working = await probe.workingToken();
      const past = (await issuedAt(probe)) - 3600;
      if (probe.target.capabilities.forge !== undefined) {
        return { 'an expired token': await forgeLike(probe, { iat: past, exp: past + 600 }) };
      }
      probe.advance((working.expiresIn ?? 86_400) + 300);
      return { 'an expired token': working.accessToken };
    },
  }),
  refusesAccessTokens('not-before', 'medium', 'Tokens that are not yet valid are refused', {
    source: ['RFC 7519 4.1.5', 'OAuch IsNotBeforeCheckedTest'],
    protectsFrom: 'A token that was issued for later is used at once.',
    tokens: async (probe) => ({
      'a token that becomes valid in an hour': await forgeLike(probe, { nbf: (await issuedAt(probe)) + 3600 }),
    }),
  }),
]);
