import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type Controls, enableControlsExcept, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { CONTROLS_HEADER } from '@/lib/oauth/lab/controls-header';
import { assessOverHttp } from '../../fixtures/lab-over-http';
import { type Product, startProduct } from '../../fixtures/product';

const CALLBACK = 'https://app.example.com/callback';
const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const much = { limit: 1_000_000, window_seconds: 60 };
const generous = {
  classes: { auth: { ip: much, user: much }, read: { ip: much, user: much }, write: { ip: much, user: much } },
  clients: { public: much, confidential: much },
};

let product: Product;
beforeAll(async () => {
  product = await startProduct({ env: { SLUICE_POLICIES: JSON.stringify(generous) } });
});
afterAll(() => product.stop());

const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(product.origin + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
const authorize = (fields: Record<string, string> = {}) =>
  form('/auth/authorize', {
    response_type: 'code',
    client_id: 'demo-client',
    redirect_uri: CALLBACK,
    scope: 'openid profile offline_access',
    state: 'x',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...fields,
  });
const redeem = (code: string) =>
  form('/auth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    client_id: 'demo-client',
    code_verifier: VERIFIER,
  });

describe('the lab over HTTP', () => {
  test('completes the flow with the origin that was called as its issuer', async () => {
    const { code, iss } = await (await authorize()).json();
    expect(iss).toBe(product.origin);
    const answer = await redeem(code);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { access_token } = await answer.json();
    const data = await fetch(`${product.origin}/api/data`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(data.status).toBe(200);
    expect(await data.json()).toMatchObject({ subject: 'demo@example.com', insecure: false });
    expect(data.headers.get('x-request-id')).not.toBeNull();
  });

  test('gives one token to 50 redemptions at once', async () => {
    const { code } = await (await authorize()).json();
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(code)));
    expect(answers.filter((one) => one.status === 200)).toHaveLength(1);
    expect(answers.filter((one) => one.status >= 500)).toHaveLength(0);
  });

  test('opens nothing but its own resource, and nothing of the admin plane opens it', async () => {
    const { access_token } = await (await redeem((await (await authorize()).json()).code)).json();
    const attempts: Record<string, string>[] = [
      { authorization: `Bearer ${access_token}` },
      { 'x-admin-token': access_token },
    ];
    for (const headers of attempts) {
      const admin = await fetch(`${product.origin}/v1/admin/rate-limit/allowlist`, { headers });
      expect(admin.status).toBe(401);
    }
    const { token } = await (
      await product.admin('POST', '/v1/admin/tokens', { name: 'lab test', role: 'owner' })
    ).json();
    const data = await fetch(`${product.origin}/api/data`, { headers: { authorization: `Bearer ${token}` } });
    expect(data.status).toBe(401);
  });

  test('answers wrong methods with 405 and Allow', async () => {
    const answer = await fetch(`${product.origin}/auth/token`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    expect((await answer.json()).error).toBe('method_not_allowed');
  });

  test('compares a request with the secure configuration', async () => {
    const body = new URLSearchParams({
      response_type: 'code',
      client_id: 'demo-client',
      redirect_uri: 'https://evil.example/',
    });
    const input = {
      method: 'POST',
      path: '/auth/authorize',
      headers: [
        ['Content-Type', 'application/x-www-form-urlencoded'],
        [CONTROLS_HEADER, 'strict-redirect-uri=?0, require-pkce=?0, require-state=?0'],
      ],
      body: body.toString(),
    };
    const answer = await fetch(`${product.origin}/auth/compare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const { given, secure, blocked_by } = await answer.json();
    expect([given.response.status, secure.response.status]).toEqual([200, 400]);
    expect(blocked_by.sort()).toEqual(['require-pkce', 'require-state', 'strict-redirect-uri']);
  });
});

describe('the headers of the lab, which a framework or a proxy could change on the way', () => {
  const OF_HEADERS = ['frame-protection', 'referrer-policy', 'sender-constrained', 'token-no-store'] as const;

  test('are judged over HTTP as in process', async () => {
    const only = CATALOGUE.filter(({ id }) => OF_HEADERS.some((header) => header === id));
    const judge = (controls: Controls) => assessOverHttp(product.origin, controls, only);
    expect((await judge(SECURE_CONTROLS))('passed').sort()).toEqual([...OF_HEADERS]);
    expect((await judge(enableControlsExcept(...OF_HEADERS)))('failed').sort()).toEqual([...OF_HEADERS]);
  });
});

describe('the lab', () => {
  test('can be switched off', async () => {
    const without = await startProduct({ env: { SLUICE_LAB: 'off' } });
    try {
      for (const path of ['/auth/jwks', '/api/data', '/.well-known/oauth-authorization-server', '/auth/token']) {
        const answer = await fetch(without.origin + path);
        expect([path, answer.status]).toEqual([path, 404]);
        expect((await answer.json()).error).toBe('not_found');
      }
    } finally {
      await without.stop();
    }
  });
});
