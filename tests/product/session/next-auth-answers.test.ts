import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '@/lib/http/api-error';
import { type OpenIdProvider, openIdProvider } from '../../fixtures/openid-provider';
import { type Product, startProduct } from '../../fixtures/product';

const ROOM = { ip: { limit: 100_000, window_seconds: 60 }, user: { limit: 100_000, window_seconds: 3600 } };
const FORM = 'application/x-www-form-urlencoded';

const PATHS = [
  ...['', '/', '/providers', '/session', '/csrf', '/signin', '/signout', '/error', '/callback', '/_log'],
  ...['/verify-request', '/nothing', '/__proto__', '/constructor', '/SIGNIN', '/signin%2Foidc'],
  ...['/signin/oidc', '/signin/credentials', '/signin/github', '/signin/nobody', '/signin/__proto__', '/signin/'],
  ...['/callback/oidc', '/callback/credentials', '/callback/github', '/callback/nobody', '/callback/constructor'],
  ...['/callback/email', '/session/oidc', '/csrf/x', '/providers/oidc', '/error/x', '/signout/oidc', '/a/b/c/d'],
  ...['/callback/oidc?code=x', '/callback/oidc?state=x', '/callback/oidc?code=x&state=y', '/callback/oidc?error=x'],
  ...['/callback/oidc?error=%00%0d%0a', '/callback/oidc?code=x&code=y&nextauth=z', '/callback/oidc?iss=x&code=y'],
  ...['/signin?error=x%0d%0a', '/signin?callbackUrl=javascript:x', '/error?error=<script>', '/signout?csrf=true'],
  ...['/session?callbackUrl=x', '/csrf?callbackUrl=%20//x'],
  ...['/signin?callbackUrl=http://[', '/signin/oidc?redirect_uri=http://evil.test', '/session?update=1'],
];
const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const BODIES: [type: string | null, body: string | Uint8Array | undefined][] = [
  [null, undefined],
  [FORM, ''],
  [FORM, 'csrfToken=wrong&email=a&password=b&json=true'],
  [FORM, '%%%&=&=a&__proto__=x&csrfToken'],
  ['application/json', '{"csrfToken":"wrong","json":"true"}'],
  ['application/json', '{"csrfToken":'],
  ['application/json', 'null'],
  ['application/json', '[1]'],
  ['application/json', '{"__proto__":{"a":1},"json":{"x":1}}'],
  ['text/plain', 'csrfToken=x'],
  ['multipart/form-data; boundary=x', '--x--'],
  [FORM, new Uint8Array([0xff, 0xfe, 0x00, 0x25])],
  [FORM, `email=${'a'.repeat(70_000)}`],
];
const COOKIES = [
  '',
  'next-auth.csrf-token=nonsense; next-auth.session-token=nonsense; next-auth.state=x; next-auth.pkce.code_verifier=y',
  'next-auth.csrf-token=x; next-auth.callback-url=.x',
  'next-auth.csrf-token=%7C; next-auth.callback-url=javascript:alert(1); next-auth.nonce=%E0%A4%A; sluice.device=a.b.c',
];

let product: Product;
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await openIdProvider('sluice-client', () => Date.now());
  product = await startProduct({
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'sluice-client',
      OIDC_CLIENT_SECRET: 'a-client-secret',
      SLUICE_POLICIES: JSON.stringify({ classes: { auth: ROOM, read: ROOM, write: ROOM } }),
      // What next-auth would take for its address.
      NEXTAUTH_URL: 'http://elsewhere.test',
      VERCEL: '',
    },
  });
});
afterAll(async () => {
  await product?.stop();
  await provider?.[Symbol.asyncDispose]();
});

/** What is wrong with an answer, by what is documented of every one; null when nothing is. */
async function fault(response: Response, method: string): Promise<string | null> {
  const text = await response.text();
  const type = response.headers.get('content-type');
  const { status } = response;
  if (response.headers.get('x-request-id') === null) return 'no request id';
  if (/<script>|evil/.test(response.headers.get('location') ?? '')) return 'leads astray';
  if (status === 204) return method === 'OPTIONS' && response.headers.has('allow') ? null : 'nothing';
  // 308 takes the slash from the end of a path, as everywhere.
  if (status === 302 || status === 308) {
    const { origin } = new URL(response.headers.get('location') ?? '', product.origin);
    return [product.origin, provider.issuer].includes(origin) ? null : `leads to ${origin}`;
  }
  if (method === 'HEAD') return [200, 404, 405].includes(status) && text === '' ? null : `HEAD ${status}`;
  if (type === null || !type.startsWith('application/json')) return `${status} ${type}`;
  const body = JSON.parse(text) as { error?: ErrorCode; error_description?: string };
  if (status === 200) return body.error === undefined ? null : 'an error with 200';
  if (body.error === undefined || ERROR_STATUS[body.error] !== status || !body.error_description)
    return `${status} ${text.slice(0, 200)}`;
  if (status >= 500) return `${status}`;
  if (status === 405 && !response.headers.has('allow')) return '405 without Allow';
  if (status === 401 && !response.headers.has('www-authenticate')) return '401 without WWW-Authenticate';
  if (status === 429 && !response.headers.has('retry-after')) return '429 without Retry-After';
  return null;
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  return fetch(`${product.origin}/api/auth${path}`, { ...init, redirect: 'manual' });
}

describe('whatever is sent to /api/auth', () => {
  it.each(METHODS)('by %s has the documented status and body', async (method) => {
    const faults: string[] = [];
    for (const path of PATHS) {
      for (const cookie of COOKIES) {
        for (const accept of method === 'GET' ? ['*/*', 'text/html'] : ['*/*']) {
          const what = await fault(await ask(path, { method, headers: { cookie, accept } }), method);
          if (what !== null) faults.push(`${method} ${path} [${cookie.slice(0, 30)}]: ${what}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it('by POST has the documented status and body', async () => {
    const faults: string[] = [];
    for (const path of PATHS) {
      for (const cookie of COOKIES.slice(1)) {
        for (const [type, body] of BODIES) {
          const headers = { cookie, ...(type === null ? {} : { 'content-type': type }) };
          const what = await fault(await ask(path, { method: 'POST', headers, body: body as BodyInit }), 'POST');
          if (what !== null) faults.push(`POST ${path} ${type} ${String(body).slice(0, 30)}: ${what}`);
        }
      }
    }
    expect(faults).toEqual([]);
    expect(product.output()).not.toContain('"level":"error"');
  });

  it('by POST with a right CSRF token has the documented status and body', async () => {
    const csrf = await ask('/csrf', {});
    const [cookie = ''] = (csrf.headers.getSetCookie()[0] ?? '').split(';');
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const fields: Record<string, string>[] = [
      {},
      { json: 'true' },
      { email: '\0', password: '\uFFFF', json: 'true' },
      { email: `${'a'.repeat(300)}@example.com`, password: 'p'.repeat(2_000) },
      { callbackUrl: 'http://[', json: 'true' },
      { callbackUrl: 'javascript:alert(1)', error: 'x', code: 'x', state: 'y' },
    ];
    const faults: string[] = [];
    for (const path of ['/signin/oidc', '/signout', '/callback/credentials', '/callback/oidc', '/signin/nobody']) {
      for (const field of fields) {
        for (const type of [FORM, 'application/json']) {
          const all = { csrfToken, ...field };
          const body = type === FORM ? new URLSearchParams(all).toString() : JSON.stringify(all);
          const headers = { cookie, 'content-type': type };
          const what = await fault(await ask(path, { method: 'POST', headers, body }), 'POST');
          if (what !== null) faults.push(`POST ${path} ${type} ${JSON.stringify(field).slice(0, 60)}: ${what}`);
        }
      }
    }
    expect(faults).toEqual([]);
    expect(product.output()).not.toContain('"level":"error"');
  });

  it('is 405 with Allow where another method is meant, and 404 where nothing is', async () => {
    const wanted: [method: string, path: string, status: number, allow: string | null][] = [
      ['GET', '/callback/credentials', 405, 'POST, OPTIONS'],
      ['POST', '/callback/oidc', 405, 'GET, OPTIONS'],
      ['HEAD', '/callback/oidc', 405, 'GET, OPTIONS'],
      ['POST', '/signin/credentials', 405, 'GET, HEAD, OPTIONS'],
      ['DELETE', '/signout', 405, 'GET, HEAD, POST, OPTIONS'],
      ['OPTIONS', '/signin/oidc', 204, 'GET, HEAD, POST, OPTIONS'],
      ['GET', '/callback', 404, null],
      ['POST', '/signin/nobody', 404, null],
      ['GET', '/callback/github', 404, null],
    ];
    for (const [method, path, status, allow] of wanted) {
      const response = await ask(path, { method });
      expect([method, path, response.status, response.headers.get('allow')]).toEqual([method, path, status, allow]);
    }
  });

  it('answers problem details when asked for them', async () => {
    const response = await ask('/callback/credentials', { headers: { accept: 'application/problem+json' } });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ error: 'method_not_allowed', status: 405 });
  });

  it('takes its address from the request, not from NEXTAUTH_URL', async () => {
    const response = await ask('/signin?callbackUrl=/keys', { headers: { 'x-forwarded-host': 'evil.test' } });
    expect(response.headers.get('location')).toBe(
      `/sign-in?callbackUrl=${encodeURIComponent(`${product.origin}/keys`)}`,
    );
    const providers = (await (await ask('/providers', {})).json()) as { oidc: { callbackUrl: string } };
    expect(providers.oidc.callbackUrl).toBe(`${product.origin}/api/auth/callback/oidc`);
  });
});

describe('a proxy that hides where the browser is', () => {
  it('is named in the answer and in the log, with both origins and both variables', async () => {
    const page = product.origin.replace('http:', 'https:');
    const ways: Record<string, string>[] = [{ origin: page, 'sec-fetch-site': 'same-origin' }, { origin: page }];
    for (const headers of ways) {
      const response = await ask('/signin/oidc', { method: 'POST', headers });
      expect(response.status).toBe(403);
      const body = (await response.json()) as { error: string; error_description: string };
      expect(body.error).toBe('forbidden');
      expect(body.error_description).toMatch(/SLUICE_PUBLIC_URL or SLUICE_TRUSTED_PROXIES/);
    }
    const lines = () =>
      product
        .output()
        .split('\n')
        .filter((line) => line.includes('SLUICE_PUBLIC_URL'))
        .map((line) => JSON.parse(line) as unknown);
    const line = { level: 'warn', page, seen: [product.origin], message: expect.stringContaining('SLUICE_TRUSTED') };
    await expect.poll(lines).toEqual([expect.objectContaining(line), expect.objectContaining(line)]);
  });

  it('is not blamed for another site', async () => {
    const ways: Record<string, string>[] = [
      { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.test' },
      { origin: 'null' },
    ];
    for (const headers of ways) {
      const response = await ask('/signin/oidc', { method: 'POST', headers });
      expect(await response.json()).toEqual({
        error: 'forbidden',
        error_description: 'Signing in and out must come from this site itself.',
      });
    }
  });
});

describe('too many requests', () => {
  it('lead a browser back to the sign-in page, and are 429 to programs', async () => {
    const policies = { classes: { read: { ip: { limit: 1, window_seconds: 60 } } } };
    expect((await product.admin('PATCH', '/v1/admin/policies', policies)).status).toBe(200);
    await ask('/callback/oidc?code=x', {});
    const browser = await ask('/callback/oidc?code=x', { headers: { accept: 'text/html,application/xhtml+xml,*/*' } });
    const wait = browser.headers.get('retry-after');
    expect(wait).toMatch(/^\d+$/);
    expect([browser.status, browser.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^(${product.origin})?/sign-in\\?error=TooManyRequests&wait=${wait}$`)),
    ]);
    expect(browser.headers.get('x-ratelimit-limit')).toBe('1');
    const program = await ask('/callback/oidc?code=x', {});
    expect([program.status, await program.json()]).toEqual([
      429,
      expect.objectContaining({ error: 'rate_limit_exceeded' }),
    ]);
  });
});
