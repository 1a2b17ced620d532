import {
  calculateJwkThumbprint,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Control } from '@/lib/oauth/controls/control';
import { refusesAccessTokens } from '@/lib/oauth/controls/patterns';
import { publishedKeys } from '@/lib/oauth/controls/published-keys';
import { forgeLike, putTogether, workingParts } from '@/lib/oauth/controls/token-parts';

/** Signs tokens with a public key as if it were a shared secret, by the format of the key (RFC 8725 section 2.1). */
export async function confusedTokens(
  header: Record<string, unknown>,
  claims: JWTPayload,
  jwk: JWK | undefined,
): Promise<{ pem: string; jwk: string }> {
  if (jwk === undefined) throw new CannotProbe('not_applicable', 'The server publishes no key.');
  const key = await importJWK(jwk, typeof header.alg === 'string' ? header.alg : 'ES256', { extractable: true });
  if (key instanceof Uint8Array) throw new CannotProbe('not_applicable', 'The server publishes no public key.');
  const sign = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(new TextEncoder().encode(secret));
  return { pem: await sign(await exportSPKI(key)), jwk: await sign(JSON.stringify(jwk)) };
}

const strangers = new Map<string, Promise<{ alg: string; privateKey: CryptoKey; jwk: JWK }>>();

/** Generates an untrusted key for the server's own algorithm. A verifier would not check any other algorithm. */
function strangerKey(algorithm: unknown) {
  const alg = typeof algorithm === 'string' && /^(RS|PS|ES)\d{3}$|^EdDSA$/.test(algorithm) ? algorithm : 'RS256';
  const generate = async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    return { alg, privateKey, jwk: await exportJWK(publicKey) };
  };
  const key = strangers.get(alg) ?? generate();
  strangers.set(alg, key);
  return key;
}

/** Signs a valid token with an untrusted key. */
async function signedByStranger(probe: Probe): Promise<string> {
  const { header, claims } = await workingParts(probe);
  const { alg, privateKey } = await strangerKey(header.alg);
  return new SignJWT(claims).setProtectedHeader({ ...header, alg }).sign(privateKey);
}

/** Controls for signature verification by the resource server (RFC 8725 section 3). */
export const FORGED_TOKENS: readonly Control[] = [
  refusesAccessTokens({
    id: 'signature-verified',
    title: 'The signature of a token is verified',
    wrong: 'The signature of a token is not verified',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.3', 'RFC 9068 4'],
    oauch: 'IsSignatureCheckedTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'Anyone can write their own tokens.',
    async tokens(probe) {
      const { header, claims, signature } = await workingParts(probe);
      const changed = putTogether(header, { ...claims, sub: 'somebody-else' }, signature);
      return {
        'a changed payload under the old signature': changed,
        'a token under an algorithm that nobody knows': putTogether({ ...header, alg: 'XS256' }, claims, signature),
      };
    },
  }),
  refusesAccessTokens({
    id: 'alg-none',
    title: 'Tokens without a signature are refused',
    wrong: 'Tokens without a signature are accepted',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.1', 'RFC 8725 3.2'],
    oauch: 'AcceptsNoneSignatureTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'Anyone can write their own tokens, by declaring them unsigned.',
    async tokens(probe) {
      const { header, claims } = await workingParts(probe);
      const spellings = ['none', 'None', 'NONE', 'nOnE'];
      return Object.fromEntries(
        spellings.map((alg) => [`a token with alg ${alg}`, putTogether({ ...header, alg }, claims, '')]),
      );
    },
  }),
  refusesAccessTokens({
    id: 'alg-confusion',
    title: 'A public key is not used as a secret',
    wrong: 'The public key is accepted as a secret',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.1', 'RFC 8725 2.1'],
    switchable: true,
    needs: ['client', 'login', 'resource'],
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
  refusesAccessTokens({
    id: 'header-key-ignored',
    title: "A token's own key is not trusted",
    wrong: 'The key that a token brings along is trusted',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.10', 'RFC 7515 4.1.3'],
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'Anyone signs tokens and sends the key along.',
    within: { control: 'signature-verified', token: signedByStranger },
    async tokens(probe) {
      const { header, claims } = await workingParts(probe);
      const { alg, privateKey, jwk } = await strangerKey(header.alg);
      const kid = await calculateJwkThumbprint(jwk);
      const url = 'https://unregistered.example/jwks.json';
      const sign = (changes: Record<string, unknown>) =>
        new SignJWT(claims).setProtectedHeader({ ...header, alg, ...changes }).sign(privateKey);
      return {
        'a token with an embedded jwk': await sign({ jwk }),
        'a token with an embedded jwk and its kid': await sign({ jwk, kid }),
        'a token with a foreign jku': await sign({ jku: url, kid }),
        'a token with a foreign x5u': await sign({ x5u: url, kid }),
      };
    },
  }),
  refusesAccessTokens({
    id: 'kid-unknown',
    title: 'An unknown kid is refused',
    wrong: 'A token under an unknown kid is accepted',
    severity: 'high',
    area: 'resource',
    source: ['RFC 8725 3.10', 'RFC 7515 4.1.4'],
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'A token that names no known key is checked with some other key, or with none.',
    within: { control: 'signature-verified', token: signedByStranger },
    async tokens(probe) {
      const { header, claims } = await workingParts(probe);
      const { alg, privateKey } = await strangerKey(header.alg);
      const sign = (kid: string) => new SignJWT(claims).setProtectedHeader({ ...header, alg, kid }).sign(privateKey);
      const named: Record<string, string> = {
        'a token of another key under an unknown kid': await sign('no-such-key'),
        'a token of another key under a path as kid': await sign('../../../dev/null'),
      };
      if (probe.target.capabilities.forge === undefined) return named;
      return {
        ...named,
        "the server's own key under an unknown kid": await forgeLike(probe, {}, { kid: 'no-such-key' }),
      };
    },
  }),
];
