import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { DEMO_KEY } from '@/lib/contract/lab-demo-key';
import { AUTHORIZATION, makeLab, ORIGIN } from './lab-fixture';

const lab = makeLab();
const seconds = () => Math.floor(lab.services.now() / 1000);

describe('the client demo-key', () => {
  const sign = async (claims: JWTPayload, key: object = DEMO_KEY) =>
    new SignJWT({
      iss: 'demo-key',
      sub: 'demo-key',
      aud: ORIGIN,
      exp: seconds() + 60,
      jti: crypto.randomUUID(),
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(await importJWK(key, 'ES256'));
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const push = async (client_assertion: string, fields: Record<string, string> = {}) => {
    const all = { ...AUTHORIZATION, client_id: 'demo-key', client_assertion, client_assertion_type, ...fields };
    return (await lab.form('/auth/par', all)).status;
  };

  test.each([ORIGIN, `${ORIGIN}/auth/token`, `${ORIGIN}/auth/par`])('authenticates to %s, once', async (aud) => {
    const assertion = await sign({ aud });
    expect(await push(assertion)).toBe(201);
    expect(await push(assertion)).toBe(401);
  });

  test.each<[string, JWTPayload]>([
    ['another audience', { aud: 'https://another.example' }],
    ['another issuer', { iss: 'demo-client' }],
    ['no expiry', { exp: undefined }],
    ['no jti', { jti: undefined }],
    ['a life of a day', { exp: Date.UTC(2026, 10, 21, 12) / 1000 }],
  ])('is refused with %s', async (_, claims) => {
    expect(await push(await sign(claims))).toBe(401);
  });

  test('is refused with a foreign key, another type, a secret or nothing', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    expect(await push(await sign({}, await exportJWK(privateKey)))).toBe(401);
    expect(await push(await sign({}), { client_assertion_type: 'urn:other' })).toBe(400);
    const credentials: Record<string, string>[] = [{}, { client_secret: 'demo-secret' }];
    for (const fields of credentials)
      expect((await lab.form('/auth/par', { ...AUTHORIZATION, client_id: 'demo-key', ...fields })).status).toBe(401);
  });

  test('signs requests: only what is signed counts (RFC 9101)', async () => {
    const request = await sign({ ...AUTHORIZATION, client_id: 'demo-key', state: 'signed', sub: undefined });
    const answer = await lab.form('/auth/authorize', {
      client_id: 'demo-key',
      request,
      state: 'beside',
      scope: 'email',
    });
    expect(await answer.json()).toMatchObject({ code: expect.any(String), state: 'signed' });
  });

  test.each<[string, (request: string) => Record<string, string> | Promise<Record<string, string>>]>([
    ['another client', (request) => ({ client_id: 'demo-confidential', request })],
    ['a client without a key', (request) => ({ client_id: 'demo-client', request })],
    ['a changed signature', (request) => ({ request: `${request.slice(0, -8)}AAAAAAAA` })],
    ['another audience', async () => ({ request: await sign({ ...AUTHORIZATION, client_id: 'demo-key', aud: 'x' }) })],
    ['another client inside', async () => ({ request: await sign({ ...AUTHORIZATION }) })],
    [
      'a request inside',
      async (request) => ({ request: await sign({ ...AUTHORIZATION, client_id: 'demo-key', request }) }),
    ],
  ])('has a request object refused with %s', async (_, fields) => {
    const request = await sign({ ...AUTHORIZATION, client_id: 'demo-key' });
    const answer = await lab.form('/auth/authorize', {
      ...AUTHORIZATION,
      client_id: 'demo-key',
      ...(await fields(request)),
    });
    expect(await answer.json()).toMatchObject({ error: 'invalid_request_object', blocked_by: ['jar-signature'] });
  });
});
