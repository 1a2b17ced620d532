import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { CompactSign, exportPKCS8, exportSPKI, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { ALGORITHMS } from '@/lib/oauth/token/algorithms';
import { FORGERIES } from '@/lib/oauth/token/forgeries';
import { convertSecretToKey, type KeyToVerify, readKeys } from '@/lib/oauth/token/read-keys';
import { readToken, type SignedToken } from '@/lib/oauth/token/read-token';
import { generateThrowAwayKey, type SigningMaterial, signToken } from '@/lib/oauth/token/sign-token';
import { listKeyTexts, verifySignature } from '@/lib/oauth/token/verify-signature';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { makeLab, ORIGIN } from '../lab-fixture';

function read(token: string): SignedToken {
  const reading = readToken(token);
  if (reading.kind !== 'signed') throw new Error(`It is ${reading.kind}.`);
  return reading;
}

async function keysOf(text: string): Promise<readonly KeyToVerify[]> {
  const reading = await readKeys(text);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.keys;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const MATERIAL: SigningMaterial = {
  ...{ key: null, embedKey: false, secret: null, hmac: 'HS256', none: 'none', signature: 'c2lnbg' },
};
const PARTS = { header: { typ: 'at+jwt' }, payload: { sub: 'ann', name: '漢字' } };

async function sign(...[signing, parts, material]: Parameters<typeof signToken>): Promise<string> {
  const result = await signToken(signing, parts, material);
  if ('problem' in result) throw new Error(result.problem);
  return result.token;
}

describe('a throwaway key', () => {
  test.each(ALGORITHMS.map(({ name }) => name))('of %s signs what its public half verifies', async (alg) => {
    const key = await generateThrowAwayKey(alg);
    const reading = read(await sign('key', PARTS, { ...MATERIAL, key }));
    expect(reading.header.members).toEqual({ typ: 'at+jwt', alg });
    expect(reading.payload.members).toEqual(PARTS.payload);
    const keys = await keysOf(JSON.stringify(key?.publicJwk));
    expect(await verifySignature(reading, keys)).toMatchObject({ state: 'verified' });
    const [first, , third] = reading.token.split('.');
    const tampered = `${first}.${Buffer.from('{"sub":"root"}').toString('base64url')}.${third}`;
    expect(await verifySignature(read(tampered), keys)).toMatchObject({ state: 'invalid' });
  });

  test('goes into the header when it is embedded, without its private half', async () => {
    const key = await generateThrowAwayKey('ES256');
    const { header } = read(await sign('key', PARTS, { ...MATERIAL, key, embedKey: true }));
    expect(header.members?.jwk).toEqual(key?.publicJwk);
    expect(header.members?.jwk).not.toHaveProperty('d');
  });

  test('of an algorithm that no browser has is a problem in words', async () => {
    expect(await generateThrowAwayKey('XX1')).toBeNull();
    expect(await signToken('key', PARTS, MATERIAL)).toHaveProperty('problem');
  });
});

test('a critical extension is signed as it is written', async () => {
  const key = await generateThrowAwayKey('ES256');
  const parts = { ...PARTS, header: { crit: ['ext'], ext: 1 } };
  expect(read(await sign('key', parts, { ...MATERIAL, key })).header.members).toMatchObject({ crit: ['ext'] });
});

test('a secret signs and verifies; a short one is weak', async () => {
  const reading = read(await sign('secret', PARTS, { ...MATERIAL, secret: bytes('geheim') }));
  const secret = convertSecretToKey('geheim', false);
  expect(secret.ok && (await verifySignature(reading, secret.keys))).toMatchObject({
    state: 'verified',
    weakness: 'The secret has 48 bits; HS256 needs 256 (RFC 7518 section 3.2).',
  });
  expect(convertSecretToKey('Z2VoZWlt', true)).toEqual(secret);
  expect(convertSecretToKey('*', true)).toEqual({ ok: false, problem: 'The secret is not base64url.' });
  expect(await signToken('secret', PARTS, { ...MATERIAL, secret: bytes('') })).toHaveProperty('problem');
});

describe('keys', () => {
  test.each(['RS256', 'ES256', 'ES384', 'ES512', 'Ed25519'])(
    'of %s are read from PEM, public or private',
    async (alg) => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      const token = await new CompactSign(bytes('{}')).setProtectedHeader({ alg }).sign(privateKey);
      for (const pem of [await exportSPKI(publicKey), await exportPKCS8(privateKey)]) {
        const keys = await keysOf(pem);
        expect(keys[0]).not.toHaveProperty('d');
        expect(await verifySignature(read(token), keys)).toMatchObject({ state: 'verified' });
      }
    },
  );

  test.skipIf(partsAreMissing('oauth/token (a certificate)', 'openssl'))('are read from a certificate', async () => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    const request = ['req', '-x509', ...curve, '-nodes', '-keyout', '-', '-subj', '/CN=test', '-days', '1'];
    const pem = execFileSync('openssl', request, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const privateKey = createPrivateKey(pem);
    const keys = await readKeys(pem.slice(pem.indexOf('-----BEGIN CERTIFICATE')));
    const token = await new CompactSign(bytes('{}')).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    expect(keys.ok && keys.notes).toEqual([
      'The key of the certificate is used. Its chain and its dates are not checked.',
    ]);
    expect(await verifySignature(read(token), keys.ok ? keys.keys : [])).toMatchObject({ state: 'verified' });
  });

  test('that are too short do not verify', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const signature = signWith('sha256', Buffer.from('eyJhbGciOiJSUzI1NiJ9.e30'), privateKey);
    const keys = await keysOf(publicKey.export({ type: 'spki', format: 'pem' }).toString());
    expect(
      await verifySignature(read(`eyJhbGciOiJSUzI1NiJ9.e30.${signature.toString('base64url')}`), keys),
    ).toMatchObject({
      state: 'unverified',
      weakness: 'The key has 1024 bits; RS256 needs 2048 (RFC 7518 section 3.3).',
    });
  });

  test.each([
    ['hello', 'This is neither a JWKS or JWK (JSON) nor PEM (“-----BEGIN …”).'],
    ['{"keys":1}', '“keys” is not a list (RFC 7517 section 5).'],
    ['{"keys":', 'This is not JSON.'],
    ['{"keys":[{"kty":"XX"}]}', 'There is no key in it whose type is RSA, EC, OKP or oct.'],
    [
      '-----BEGIN PUBLIC KEY-----\nAAAA',
      'The PEM is cut off: BEGIN and END lines with base64 between them are expected.',
    ],
    [
      '-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----',
      'The PEM holds no key that a browser can use: RSA, P-256, P-384, P-521 or Ed25519.',
    ],
  ])('that are wrong are refused in words: %s', async (text, problem) => {
    expect(await readKeys(text)).toEqual({ ok: false, problem });
  });
});

test('a public key that was used as the secret is recognised', async () => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  const keys = await keysOf(await exportSPKI(publicKey));
  const [pem = ''] = await Promise.all(keys.map(async (key) => (await listKeyTexts(key))[1] ?? ''));
  expect(pem).toMatch(/-----\n$/);
  const reading = read(await sign('confusion', PARTS, { ...MATERIAL, secret: bytes(pem) }));
  const { state, warnings } = await verifySignature(reading, keys);
  expect(state).toBe('invalid');
  expect(warnings.join()).toContain('FORGED: the public key itself was used as the secret.');
});

describe('forgeries of a token of the lab', () => {
  const lab = makeLab();
  let genuine: SignedToken;
  let pem: string;

  beforeAll(async () => {
    genuine = read((await lab.tokensFor()).access_token);
    const keys = await keysOf(await (await lab.send('/auth/jwks')).text());
    expect(await verifySignature(genuine, keys)).toMatchObject({ state: 'verified' });
    pem = (await Promise.all(keys.map(listKeyTexts))).flat()[1] ?? '';
  });

  /** What refuses each one. */
  const REFUSED: Record<string, string> = {
    ...{ tampered: 'signature-verified', unsigned: 'alg-none', 'own-key': 'signature-verified' },
    ...{ confusion: 'alg-confusion', expired: 'token-expiry', 'no-expiry': 'token-expiry', 'not-yet': 'not-before' },
    ...{ audience: 'validate-audience', issuer: 'issuer-validated', type: 'token-type-header' },
    ...{ 'key-id': 'signature-verified', 'key-address': 'signature-verified' },
  };

  test.each(FORGERIES)(
    '$title: refused, and accepted without what refuses it',
    async ({ id, signing, embedKey, change }) => {
      const parts = { header: genuine.header.members ?? {}, payload: genuine.payload.members ?? {} };
      const token = await sign(signing, change(parts, lab.services.now()), {
        ...MATERIAL,
        ...{ key: await generateThrowAwayKey('ES256'), embedKey: embedKey ?? false },
        ...{ secret: bytes(pem), signature: genuine.signature.encoded },
      });
      const refused = await lab.data(token);
      expect(refused.status).toBe(401);
      const { blocked_by: controls } = await refused.json();
      expect(controls).toContain(REFUSED[id]);
      const accepted = await lab.data(token, controls.map((control: string) => `${control}=?0`).join(', '));
      expect(accepted.status).toBe(200);
      expect((await accepted.json()).would_be_blocked_by.toSorted()).toEqual(controls.toSorted());
    },
  );

  test('the genuine one is of this lab', () => {
    expect(genuine.payload.members).toMatchObject({ iss: ORIGIN });
  });
});
