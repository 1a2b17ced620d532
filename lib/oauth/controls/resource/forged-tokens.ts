import { createHmac } from 'node:crypto';
import {
  base64url,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Control, Tries } from '@/lib/oauth/controls/control';
import { readPublishedKeys } from '@/lib/oauth/controls/published-keys';
import { type BadToken, defineAccessTokenControl } from '@/lib/oauth/controls/refuses-access-tokens';
import { decodeWorkingToken, forgeLike, putTogether, type TokenParts } from '@/lib/oauth/controls/token-parts';
import { SPELLINGS_OF_NONE } from '@/lib/oauth/token/forgeries';
import { createSelfSignedCertificate } from '@/lib/oauth/token/self-signed-certificate';
import { type KeyFormat, spellPublicKey } from '@/lib/oauth/token/spell-public-key';

/** Signs a token with an HMAC (RFC 7518 section 3.2), even with an empty secret. */
export function signHmac(
  header: Record<string, unknown>,
  claims: JWTPayload,
  secret: string | Uint8Array,
  bits: 256 | 384 | 512 = 256,
): string {
  const signed = putTogether({ ...header, alg: `HS${bits}` }, claims, '').slice(0, -1);
  return `${signed}.${createHmac(`sha${bits}`, secret).update(signed).digest('base64url')}`;
}

/**
 * Signs tokens with each spelling of a public key as if it were a shared secret, by the format of the key (RFC 8725
 * section 2.1).
 * @throws CannotProbe not_applicable if there is no public key
 */
export async function signConfusedTokens(
  header: Record<string, unknown>,
  claims: JWTPayload,
  jwk: JWK | undefined,
): Promise<Map<KeyFormat, Record<string, string>>> {
  if (jwk === undefined) throw new CannotProbe('not_applicable', 'The server publishes no key.');
  const spellings = await spellPublicKey(jwk);
  if (spellings.length === 0) throw new CannotProbe('not_applicable', 'The server publishes no public key.');
  const tokens = new Map<KeyFormat, Record<string, string>>();
  for (const { format, spelling, secret } of spellings) {
    const ofFormat = tokens.get(format) ?? {};
    ofFormat[spelling] = signHmac(header, claims, secret);
    tokens.set(format, ofFormat);
  }
  return tokens;
}

const untrusted = new Map<string, Promise<{ alg: string; privateKey: CryptoKey; jwk: JWK; certificate: Buffer }>>();

/** Generates an untrusted key for the server's own algorithm. A verifier would not check any other algorithm. */
export function generateUntrustedKey(algorithm: unknown) {
  const alg = typeof algorithm === 'string' && /^(RS|PS|ES)\d{3}$|^EdDSA$/.test(algorithm) ? algorithm : 'RS256';
  const generate = async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const certificate = createSelfSignedCertificate(privateKey);
    return { alg, privateKey, jwk: await exportJWK(publicKey), certificate };
  };
  const key = untrusted.get(alg) ?? generate();
  untrusted.set(alg, key);
  return key;
}

const encodeDataUrl = (value: unknown): string =>
  typeof value === 'string'
    ? `data:application/x-pem-file,${encodeURIComponent(value)}`
    : `data:application/json,${encodeURIComponent(JSON.stringify(value))}`;
const encodePem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** Ways in which a token brings its key along (RFC 8725 section 3.10). */
export const CARRIED_KEYS = {
  'an embedded jwk': 'CVE-2018-0114',
  'an embedded jwk and its kid': 'CVE-2018-0114',
  'a foreign jku': 'RFC 8725 3.10',
  'a foreign x5u': 'RFC 8725 3.10',
  'its key in the jku': 'RFC 8725 3.10',
  'its certificate in the x5u': 'RFC 8725 3.10',
  'an embedded certificate': 'RFC 7515 4.1.6',
} satisfies Tries;

/** Names what each entry is about, such as `a token with an embedded jwk`. */
export const nameEach = <V>(subject: string, entries: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${subject} with ${name}`, value]));

/** Prepares to sign tokens of an algorithm with an untrusted key that they bring along, in each way. */
export async function prepareCarriedKeys(
  algorithm: unknown,
): Promise<Record<keyof typeof CARRIED_KEYS, (token: TokenParts) => Promise<string>>> {
  const { alg, privateKey, jwk, certificate } = await generateUntrustedKey(algorithm);
  const kid = await calculateJwkThumbprint(jwk);
  const url = 'https://unregistered.example/jwks.json';
  const sign =
    (changes: Record<string, unknown>) =>
    ({ header, claims }: TokenParts) =>
      new SignJWT(claims).setProtectedHeader({ ...header, alg, ...changes }).sign(privateKey);
  return {
    'an embedded jwk': sign({ jwk }),
    'an embedded jwk and its kid': sign({ jwk, kid }),
    'a foreign jku': sign({ jku: url, kid }),
    'a foreign x5u': sign({ x5u: url, kid }),
    // A verifier that fetches any address reads the key from a data URL, too.
    'its key in the jku': sign({ kid, jku: encodeDataUrl({ keys: [{ ...jwk, kid, alg, use: 'sig' }] }) }),
    'its certificate in the x5u': sign({ kid, x5u: encodeDataUrl(encodePem(certificate)) }),
    'an embedded certificate': sign({ kid, x5c: [certificate.toString('base64')] }),
  };
}

/** Signs a valid token with an untrusted key. */
async function signUntrustedToken(probe: Probe): Promise<string> {
  const { header, claims } = await decodeWorkingToken(probe);
  const { alg, privateKey } = await generateUntrustedKey(header.alg);
  return new SignJWT(claims).setProtectedHeader({ ...header, alg }).sign(privateKey);
}

/** Controls for signature verification by the resource server (RFC 8725 section 3). */
export const FORGED_TOKENS: readonly Control[] = [
  defineAccessTokenControl({
    id: 'signature-verified',
    title: 'The signature of a token is verified',
    wrong: 'The signature of a token is not verified',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.3', 'RFC 9068 4'],
    tries: {
      'a changed payload under the old signature': 'RFC 8725 3.3',
      'another header over the old signature': 'RFC 7515 5.2',
      'a token under an invented algorithm': 'RFC 8725 3.1',
      'a token whose signature is empty': 'CVE-2026-28802',
      'a signature of zeros': 'CVE-2022-21449',
    },
    oauch: 'IsSignatureCheckedTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    elsewhere: ['at UserInfo', 'by introspection'],
    protectsFrom: 'Anyone can write their own tokens.',
    async tokens(probe) {
      const { header, claims, signature } = await decodeWorkingToken(probe);
      const { length } = base64url.decode(signature);
      return {
        'a changed payload under the old signature': putTogether(header, { ...claims, sub: 'another-user' }, signature),
        'another header over the old signature': putTogether({ ...header, sluice: 'changed' }, claims, signature),
        'a token under an invented algorithm': putTogether({ ...header, alg: 'XS256' }, claims, signature),
        'a token whose signature is empty': putTogether(header, claims, ''),
        'a signature of zeros': putTogether(header, claims, base64url.encode(new Uint8Array(length))),
      };
    },
  }),
  defineAccessTokenControl({
    id: 'alg-none',
    title: 'Tokens without a signature are refused',
    wrong: 'Tokens without a signature are accepted',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.1', 'RFC 8725 3.2'],
    tries: {
      'a token with alg none': 'CVE-2026-28802, CVE-2022-23540',
      'a token with alg none under the old signature': 'RFC 8725 3.1',
      'a token with an empty alg': 'RFC 8725 3.1',
      'a token of two parts': 'RFC 8725 3.1',
    },
    oauch: 'AcceptsNoneSignatureTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    elsewhere: ['at UserInfo', 'by introspection'],
    protectsFrom: 'Anyone can write their own tokens, by declaring them unsigned.',
    async tokens(probe) {
      const { header, claims, signature } = await decodeWorkingToken(probe);
      const spell = (end: string): BadToken =>
        Object.fromEntries(SPELLINGS_OF_NONE.map((alg) => [alg, putTogether({ ...header, alg }, claims, end)]));
      return {
        'a token with alg none': spell(''),
        'a token with alg none under the old signature': spell(signature),
        'a token with an empty alg': putTogether({ ...header, alg: '' }, claims, ''),
        'a token of two parts': {
          'the own alg': putTogether(header, claims, '').slice(0, -1),
          'alg none': putTogether({ ...header, alg: 'none' }, claims, '').slice(0, -1),
        },
      };
    },
  }),
  defineAccessTokenControl({
    id: 'alg-confusion',
    title: 'A public key is not used as a secret',
    wrong: 'The public key is accepted as a secret',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.1', 'RFC 8725 2.1'],
    tries: {
      'HS256 keyed with the PEM form': 'CVE-2024-37568, CVE-2022-23541, CVE-2026-34950',
      'HS256 keyed with the PKCS #1 form': 'CVE-2017-11424, CVE-2023-48223',
      'HS256 keyed with the X.509 form': 'CVE-2024-37568',
      'HS256 keyed with the DER form': 'CVE-2024-33663',
      'HS256 keyed with the JWK form': 'RFC 8725 2.1',
      'HS256 keyed with the OpenSSH form': 'CVE-2022-29217, CVE-2024-33663',
      'HS256 keyed with the bare form': 'RFC 8725 2.1',
      'HS384 or HS512 keyed with the PEM form': 'RFC 8725 2.1',
    },
    switchable: true,
    needs: ['client', 'login', 'resource'],
    elsewhere: ['at UserInfo', 'by introspection'],
    protectsFrom: 'An attacker writes tokens for any user and signs them with the published key.',
    async tokens(probe) {
      const { header, claims } = await decodeWorkingToken(probe);
      const keys = await readPublishedKeys(probe);
      const jwk = keys.find((key) => key.kid === header.kid) ?? keys[0];
      const bad: Record<string, BadToken> = {};
      for (const [format, tokens] of await signConfusedTokens(header, claims, jwk)) {
        bad[`HS256 keyed with the ${format} form`] = tokens;
      }
      const pems = (await spellPublicKey(jwk ?? {})).slice(0, 2);
      const longer = pems.flatMap(({ spelling, secret }) =>
        ([384, 512] as const).map((bits) => [`${bits}, ${spelling}`, signHmac(header, claims, secret, bits)]),
      );
      return { ...bad, 'HS384 or HS512 keyed with the PEM form': Object.fromEntries(longer) };
    },
  }),
  defineAccessTokenControl({
    id: 'header-key-ignored',
    title: "A token's own key is not trusted",
    wrong: 'The key that a token brings along is trusted',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.10', 'RFC 7515 4.1.3'],
    tries: nameEach('a token', CARRIED_KEYS),
    switchable: false,
    needs: ['client', 'login', 'resource'],
    elsewhere: ['at UserInfo', 'by introspection'],
    protectsFrom: 'Anyone signs tokens and sends the key along.',
    within: { control: 'signature-verified', token: signUntrustedToken },
    async tokens(probe) {
      const working = await decodeWorkingToken(probe);
      const ways = Object.entries(nameEach('a token', await prepareCarriedKeys(working.header.alg)));
      return Object.fromEntries(await Promise.all(ways.map(async ([label, sign]) => [label, await sign(working)])));
    },
  }),
  defineAccessTokenControl({
    id: 'kid-unknown',
    title: 'An unknown kid is refused',
    wrong: 'A token under an unknown kid is accepted',
    severity: 'high',
    area: 'resource',
    source: ['RFC 8725 3.10', 'RFC 7515 4.1.4'],
    tries: {
      'a token of another key under an unknown kid': 'RFC 8725 3.10',
      'a token of another key under a path as kid': 'RFC 8725 3.10',
      'an empty secret under a path as kid': 'RFC 8725 3.10',
      'an empty secret under an unknown kid': 'CVE-2026-44351',
      'a secret that the kid selects by SQL': 'RFC 8725 3.10',
      "the server's own key under an unknown kid": 'RFC 7515 4.1.4',
    },
    switchable: false,
    needs: ['client', 'login', 'resource'],
    elsewhere: ['at UserInfo', 'by introspection'],
    protectsFrom: 'A token that names no known key is checked with some other key, or with none.',
    within: { control: 'signature-verified', token: signUntrustedToken },
    async tokens(probe) {
      const { header, claims } = await decodeWorkingToken(probe);
      const { alg, privateKey } = await generateUntrustedKey(header.alg);
      const sign = (kid: string) => new SignJWT(claims).setProtectedHeader({ ...header, alg, kid }).sign(privateKey);
      const path = '../../../../../../dev/null';
      const named = {
        'a token of another key under an unknown kid': await sign('no-such-key'),
        'a token of another key under a path as kid': await sign(path),
        'an empty secret under a path as kid': {
          empty: signHmac({ ...header, kid: path }, claims, ''),
          'a zero byte': signHmac({ ...header, kid: path }, claims, '\0'),
        },
        'an empty secret under an unknown kid': signHmac({ ...header, kid: 'no-such-key' }, claims, ''),
        'a secret that the kid selects by SQL': signHmac(
          { ...header, kid: "x' UNION SELECT 'sluice" },
          claims,
          'sluice',
        ),
      };
      if (probe.target.capabilities.forge === undefined) return named;
      return {
        ...named,
        "the server's own key under an unknown kid": await forgeLike(probe, {}, { kid: 'no-such-key' }),
      };
    },
  }),
];
