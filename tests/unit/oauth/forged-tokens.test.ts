import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { authorize } from '@/lib/auth/authorize';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { loadSigningKey } from '@/lib/oauth/lab/signing-key';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';
import { makeLab, ORIGIN } from './lab-fixture';

const lab = makeLab();
const now = Math.floor(lab.services.now() / 1000);
let right: string;
let header: JWTHeaderParameters;
let payload: JWTPayload;
let forged: Map<string, string>;

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString());

beforeAll(async () => {
  right = (await lab.tokensFor()).access_token;
  const [first, second, signature = ''] = right.split('.');
  header = read(first);
  payload = read(second);
  const own = await loadSigningKey(lab.services);
  const stranger = await generateKeyPair('ES256', { extractable: true });
  const rsa = await generateKeyPair('RS256', { extractable: true });
  const published = JSON.stringify(own.publicJwk);
  const pem = await exportSPKI(own.publicKey);
  const jwk = await exportJWK(stranger.publicKey);

  /** Signed by whom it says, with what it says. */
  const signed = (key: CryptoKey | Uint8Array, extra: Record<string, unknown> = {}, claims: object = {}) =>
    new SignJWT({ ...payload, ...claims }).setProtectedHeader({ ...header, ...extra }).sign(key);
  const unsigned = (alg: string) => `${part({ ...header, alg })}.${part(payload)}.`;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const without = (name: string) => signed(own.privateKey, {}, { [name]: undefined });

  forged = new Map([
    ['alg none', unsigned('none')],
    ['alg None', unsigned('None')],
    ['alg NONE with the signature', `${unsigned('NONE')}${signature}`],
    ['alg empty', unsigned('')],
    ['no signature', `${first}.${second}.`],
    ['half a signature', `${first}.${second}.${signature.slice(0, 43)}`],
    ['a signature of zeros', `${first}.${second}.${Buffer.alloc(64).toString('base64url')}`],
    ['another payload under the signature', `${first}.${part({ ...payload, sub: 'root' })}.${signature}`],
    ['another header over the signature', `${part({ ...header, kid: 'x' })}.${second}.${signature}`],
    ['HS256 with the published PEM', await signed(bytes(pem), { alg: 'HS256' })],
    ['HS256 with the published JWK', await signed(bytes(published), { alg: 'HS256' })],
    ['HS256 with an empty secret', await signed(new Uint8Array(32), { alg: 'HS256' })],
    ['RS256 with a key of its own', await signed(rsa.privateKey, { alg: 'RS256' })],
    ['a key of its own under our kid', await signed(stranger.privateKey)],
    ['a key of its own, embedded as jwk', await signed(stranger.privateKey, { jwk })],
    ['a key of its own, under jku', await signed(stranger.privateKey, { jku: 'https://evil.test/jwks' })],
    ['a key of its own, under x5u', await signed(stranger.privateKey, { x5u: 'https://evil.test/cert' })],
    ['a kid that is a path', await signed(stranger.privateKey, { kid: '../../dev/null' })],
    ['a kid that is SQL', await signed(stranger.privateKey, { kid: "' or 1=1 --" })],
    ['no kid and a key of its own', await signed(stranger.privateKey, { kid: undefined })],
    ['a critical extension that nobody knows', await critical(own.privateKey)],
    ['the type of an ID token', await signed(own.privateKey, { typ: 'JWT' })],
    ['no type', await signed(own.privateKey, { typ: undefined })],
    ['another audience', await signed(own.privateKey, {}, { aud: 'https://another-service.example/' })],
    ['no audience', await without('aud')],
    ['another issuer', await signed(own.privateKey, {}, { iss: 'https://evil.test' })],
    ['no issuer', await without('iss')],
    ['no end', await without('exp')],
    // Five seconds are for clocks that differ.
    ['an end that has passed', await signed(own.privateKey, {}, { exp: now - 5 })],
    ['an end that is text', await signed(own.privateKey, {}, { exp: '9999999999' })],
    ['a beginning in the future', await signed(own.privateKey, {}, { nbf: now + 3_600 })],
  ]);

  async function critical(key: CryptoKey): Promise<string> {
    const extended = { ...header, crit: ['unheard-of'], 'unheard-of': true };
    return new SignJWT(payload).setProtectedHeader(extended).sign(key, { crit: { 'unheard-of': true } });
  }
});

describe('a forged token', () => {
  it('opens nothing in the lab, whatever was done to it', async () => {
    expect(forged.size).toBeGreaterThanOrEqual(25);
    expect((await lab.data(right)).status).toBe(200);
    for (const [name, token] of forged) {
      const answer = await lab.data(token);
      expect([name, answer.status]).toEqual([name, 401]);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });
});

describe('a token of the lab', () => {
  let auth: AuthServices;
  beforeAll(async () => {
    auth = await authServices();
    return () => auth[Symbol.dispose]();
  });

  it('opens nothing of the administration, in whatever header and however weak the lab is told to be', async () => {
    const { access_token, refresh_token, id_token } = await lab.tokensFor();
    let address = 0;
    for (const token of [access_token, refresh_token, id_token, right, ...forged.values()]) {
      const places: Record<string, string>[] = [
        { authorization: `Bearer ${token}` },
        { 'x-admin-token': token },
        { cookie: `next-auth.session-token=${token}` },
      ];
      for (const given of places) {
        address += 1;
        const headers = { ...given, 'sluice-lab-controls': SWITCHES.map((id) => `${id}=?0`).join(', ') };
        const request = new Request(`${ORIGIN}/v1/admin/session`, { headers });
        const at = { now: auth.services.clock(), address: `10.1.${address >> 8}.${address & 255}` };
        await expect(authorize('viewer', request, auth.services, at)).rejects.toMatchObject({ code: 'unauthorized' });
      }
    }
  });

  it('is nothing that an administrator has: an admin token does not open the lab', async () => {
    const { token } = await auth.token('owner');
    expect((await lab.data(token)).status).toBe(401);
  });
});
