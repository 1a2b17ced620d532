import { constants, createHmac, generateKeyPairSync, type KeyObject, sign as signWith } from 'node:crypto';
import fc from 'fast-check';
import { CompactEncrypt, exportJWK, FlattenedSign, GeneralSign, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { formatDistanceInWords } from '@/components/format/relative-words';
import { checkExpiry, checkStart } from '@/lib/oauth/token/check-claims';
import { decryptToken } from '@/lib/oauth/token/decrypt-token';
import { explainMembers } from '@/lib/oauth/token/explain';
import { findTokens } from '@/lib/oauth/token/find-tokens';
import { formatJson } from '@/lib/oauth/token/format-json';
import { readKeys, readKeysOrSecret, readSecret, readSecretKeys } from '@/lib/oauth/token/read-keys';
import { readToken, type SignedToken } from '@/lib/oauth/token/read-token';
import { verifySignature } from '@/lib/oauth/token/verify-signature';

const encode = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const bytes = (text: string) => new TextEncoder().encode(text);
function read(token: string, payload?: string): SignedToken {
  const reading = readToken(token, payload);
  if (reading.kind !== 'signed') throw new Error(`It is ${reading.kind}.`);
  return reading;
}
const withClaims = (json: string) => read(`${encode('{"alg":"HS256"}')}.${encode(json)}.AA`);
const explain = (json: string) => {
  const { members, sources } = withClaims(json).payload;
  return explainMembers('payload', members ?? {}, sources);
};
const NOW = Date.UTC(2026, 10, 27);
const EXPECTED = { issuer: '', audience: '', now: NOW, tolerance: 5 };

describe('numbers', () => {
  test('are shown with all their digits, wherever they stand', () => {
    const number = fc.tuple(fc.bigInt(), fc.constantFrom('', '.50', 'e400', 'E-9')).map(([n, end]) => `${n}${end}`);
    const json = fc.tuple(number, fc.constantFrom('$', '[1,$]', '{"a":[{"b":$}]}'));
    fc.assert(
      fc.property(json, ([digits, form]) => {
        const [member] = explain(`{ "id" : ${form.replace('$', digits)} }`);
        expect(member?.value.replace(/\s/g, '')).toBe(form.replace('$', digits));
      }),
      { numRuns: 50 },
    );
  });

  test('that readers change are said to be changed', () => {
    expect(explain('{"id":12345678901234567890}')[0]).toMatchObject({
      value: '12345678901234567890',
      note: expect.stringContaining('12345678901234567168'),
    });
    expect(explain('{"id":1e400}')[0]?.note).toMatch(/infinity/);
    expect(explain('{"id":9007199254740991}')[0]?.note).toBeNull();
  });

  test.each([
    ['milliseconds', NOW + 60_000, /in milliseconds.*it has not expired/],
    ['milliseconds', NOW - 60_000, /in milliseconds.*it has expired/],
    ['microseconds', (NOW - 60_000) * 1000, /in microseconds.*it has expired/],
    ['too large', 1e300, /too large/],
    ['infinite', Number.POSITIVE_INFINITY, /too large/],
  ])('as a time, %s: %d', (_, exp, why) => {
    expect(checkExpiry({ exp }, EXPECTED)).toEqual({ kind: 'failed', reason: expect.stringMatching(why) });
    expect(checkStart({ iat: exp }, EXPECTED).kind).toBe('failed');
  });

  test('in milliseconds are shown as the time that is meant', () => {
    const [member] = explain(`{"exp":${NOW}}`);
    expect(member).toMatchObject({ time: NOW, meaning: expect.stringContaining('It is in milliseconds.') });
  });
});

test.each([
  [-8 * 365.25 * 86_400, '8 years ago'],
  [90 * 86_400, 'in 3 months'],
  [-2 * 86_400, '2 days ago'],
  [180, 'in 3 minutes'],
  [-2, 'just now'],
])('%d seconds from now are written %s', (seconds, words) => {
  expect(formatDistanceInWords(NOW + seconds * 1000, NOW)).toBe(words);
});

test.each([33, 500, 10_000])('nesting of %d levels is read, and shown', (depth) => {
  const [payload] = [withClaims(`{"a":${'['.repeat(depth)}1${']'.repeat(depth)}}`).payload];
  expect(payload.members).not.toBeNull();
  expect(explainMembers('payload', payload.members ?? {}, payload.sources)[0]?.value).toMatch(/^\[+/);
  expect(() => formatJson(payload.text ?? '', 2)).not.toThrow();
});

describe('a payload apart from the token', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = async () => [(await exportJWK(publicKey)) as never];

  test.each([
    ['{"sub":"ann"}', { alg: 'ES256', b64: false, crit: ['b64'] }],
    ['$.02 and a line\n', { alg: 'ES256', b64: false, crit: ['b64'] }],
    ['{"sub":"ann"}', { alg: 'ES256' }],
  ])('%j with %j is asked for, then verified', async (payload, header) => {
    const jws = await new FlattenedSign(bytes(payload)).setProtectedHeader(header).sign(privateKey);
    const token = `${jws.protected}..${jws.signature}`;
    expect(read(token).isDetached).toBe(true);
    expect(await verifySignature(read(token), await keys())).toMatchObject({
      state: 'unverified',
      reason: expect.stringMatching(/payload is detached/),
    });
    expect((await verifySignature(read(token, payload), await keys())).state).toBe('verified');
    expect((await verifySignature(read(token, `${payload} `), await keys())).state).toBe('invalid');
  });

  test('that is not encoded needs the critical extension', async () => {
    const token = `${encode('{"alg":"ES256","b64":false}')}..AA`;
    expect((await verifySignature(read(token, 'x'), await keys())).reason).toMatch(/“crit” must name “b64”/);
  });
});

test('each signature of a JSON serialization is a token', async () => {
  const one = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const two = generateKeyPairSync('ed25519');
  const general = new GeneralSign(bytes('{"sub":"ann"}'));
  general.addSignature(one.privateKey).setProtectedHeader({ alg: 'ES256' });
  general.addSignature(two.privateKey).setProtectedHeader({ alg: 'EdDSA' });
  const found = findTokens(JSON.stringify(await general.sign(), null, 2)).tokens;
  expect(found.map(({ name }) => name)).toEqual(['JWS, signature 1', 'JWS, signature 2']);
  const states = [one, two].map(async ({ publicKey }, index) => {
    const key = (await exportJWK(publicKey)) as never;
    return (await verifySignature(read(found[index]?.token ?? ''), [key])).state;
  });
  expect(await Promise.all(states)).toEqual(['verified', 'verified']);
});

describe('an encrypted token', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1') => key.export({ type, format: 'pem' }).toString();
  const encrypt = (alg: string, key: KeyObject | Uint8Array, enc = 'A256GCM') =>
    new CompactEncrypt(bytes('{"sub":"ann"}')).setProtectedHeader({ alg, enc }).encrypt(key);
  const secret = Buffer.from('0123456789abcdef0123456789abcdef');

  test.each([
    ['RSA-OAEP-256', rsa.publicKey, pem(rsa.privateKey, 'pkcs8')],
    ['RSA-OAEP', rsa.publicKey, pem(rsa.privateKey, 'pkcs1')],
    ['RSA-OAEP', rsa.publicKey, JSON.stringify({ keys: [rsa.privateKey.export({ format: 'jwk' })] })],
    ['ECDH-ES', ec.publicKey, pem(ec.privateKey, 'sec1')],
    ['ECDH-ES+A256KW', ec.publicKey, JSON.stringify(ec.privateKey.export({ format: 'jwk' }))],
    ['dir', secret, secret.toString()],
    ['dir', secret, secret.toString('hex')],
    ['A256KW', secret, secret.toString('base64')],
    ['PBES2-HS256+A128KW', bytes('correct horse'), 'correct horse'],
  ] as const)('of %s is opened', async (alg, key, text) => {
    const opened = await decryptToken(await encrypt(alg, key), await readSecretKeys(text));
    expect(opened).toEqual({ ok: true, text: '{"sub":"ann"}' });
  });

  test('stays closed for other keys, and says why', async () => {
    const token = await encrypt('RSA-OAEP', rsa.publicKey);
    const problem = async (text: string) => {
      const opened = await decryptToken(token, await readSecretKeys(text));
      return opened.ok ? null : opened.problem;
    };
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(await problem(pem(other.privateKey, 'pkcs8'))).toMatch(/does not open it/);
    expect(await problem(JSON.stringify(rsa.publicKey.export({ format: 'jwk' })))).toMatch(/The key is public/);
    expect(await problem('a secret')).toMatch(/does not fit RSA-OAEP/);
  });
});

describe('why a signature does not match', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const input = (alg: string) => `${encode(JSON.stringify({ alg }))}.${encode('{"sub":"ann"}')}`;
  const reasonOf = async (alg: string, signature: Buffer, keys: readonly unknown[]) => {
    const found = await verifySignature(read(`${input(alg)}.${encode(signature)}`), keys as never);
    return `${found.state}: ${found.reason}`;
  };
  const jwk = (key: KeyObject): JWK => key.export({ format: 'jwk' });

  test.each([
    ['ES256', 'P-256', 'sha256'],
    ['ES384', 'P-384', 'sha384'],
    ['ES512', 'P-521', 'sha512'],
  ])('%s in DER', async (alg, namedCurve, hash) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    for (let again = 0; again < 8; again++)
      expect(await reasonOf(alg, signWith(hash, Buffer.from(input(alg)), privateKey), [jwk(publicKey)])).toMatch(
        /^invalid: .*DER-encoded/,
      );
  });

  test.each([0, 20, 222])('a salt of %d bytes', async (saltLength) => {
    const key = { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
    const signature = signWith('sha256', Buffer.from(input('PS256')), key);
    expect(await reasonOf('PS256', signature, [jwk(rsa.publicKey)])).toMatch(
      new RegExp(`^invalid: .*salt of ${saltLength} bytes`),
    );
  });

  test('another algorithm of the same key', async () => {
    const signature = signWith('sha512', Buffer.from(input('RS256')), rsa.privateKey);
    expect(await reasonOf('RS256', signature, [jwk(rsa.publicKey)])).toMatch(/one of RS512/);
  });

  test.each([
    ['a-secret\n', 'a-secret', /line break at its end/],
    ['a-secret\r\n', 'a-secret', /line break of Windows/],
    ['a-secret', 'a-secret\n', /without its last line break/],
    ['a-secret', '  a-secret ', /without the spaces/],
  ])('an HMAC with %j, verified with %j', async (signedWith, given, why) => {
    const signature = createHmac('sha256', signedWith).update(input('HS256')).digest();
    const secret = readSecret(given);
    expect(await reasonOf('HS256', signature, secret.ok ? secret.keys : [])).toMatch(why);
  });

  test.each(['text', 'base64', 'base64url', 'hex'] as const)('a secret in %s is read', async (form) => {
    const secret = Buffer.from('6b2d9a4f-secret-of-32-bytes-long');
    const signature = createHmac('sha256', secret).update(input('HS256')).digest();
    const given = form === 'text' ? secret.toString() : secret.toString(form);
    for (const keys of [readSecret(given), await readKeysOrSecret(given)])
      expect(await reasonOf('HS256', signature, keys.ok ? keys.keys : [])).toMatch(/^verified/);
  });
});

describe('keys of every common form', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const curves = (['P-256', 'P-384', 'P-521'] as const).map((namedCurve) => generateKeyPairSync('ec', { namedCurve }));
  const strip = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');
  const forms: [string, KeyObject, string][] = [
    ['PKCS #1 public', rsa.publicKey, rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['PKCS #1 private', rsa.publicKey, rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['SPKI without its lines', rsa.publicKey, strip(rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString())],
    ...curves.map(({ publicKey, privateKey }): [string, KeyObject, string] => [
      'SEC 1 private',
      publicKey,
      privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    ]),
    ['JWK', rsa.publicKey, JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))],
    ['JWKS', rsa.publicKey, JSON.stringify({ keys: [rsa.publicKey.export({ format: 'jwk' })] })],
  ];
  test.each(forms)('%s', async (_, key, text) => {
    for (const spelled of [text, text.replaceAll('\n', '\r\n'), `\n  ${text}\n\n`]) {
      const keys = await readKeys(spelled);
      expect(keys.ok && keys.keys).toEqual([key.export({ format: 'jwk' })]);
    }
  });
});

test('a PASETO is recognised', () => {
  const claims = Buffer.concat([Buffer.from('{"sub":"ann"}'), Buffer.alloc(64)]);
  expect(readToken(`v4.public.${encode(claims)}`)).toEqual({
    kind: 'paseto',
    version: 'v4',
    purpose: 'public',
    claims: '{"sub":"ann"}',
  });
  expect(readToken(`v2.local.${encode('x'.repeat(60))}.${encode('kid')}`)).toMatchObject({ purpose: 'local' });
});
