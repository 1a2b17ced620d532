import { describe, expect, it } from 'vitest';
import { product, sharedSuite } from '../../fixtures/shared-suite';
import { answerToBytes } from '../../fixtures/wire';

sharedSuite();

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

describe('errors', () => {
  it.each(['/api/nothing', '/auth/nothing', '/v1/nothing'])('%s is not found, in JSON', async (path) => {
    const response = await fetch(`${product.origin}${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'not_found', error_description: expect.any(String) });
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it('a request without Host has an id and a body as every other', async () => {
    const answer = await answerToBytes(product.port, 'GET /healthz HTTP/1.1\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/x-request-id: /i);
    expect(answer).toContain('"error":"bad_request"');
  });

  it('carry the members of RFC 9457 for those who ask, also where Next is not reached', async () => {
    const response = await fetch(`${product.origin}/%zz`, { headers: { Accept: 'application/problem+json' } });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ error: 'bad_request', status: 400, title: 'Bad Request' });
  });
});

describe('an offer to upgrade the protocol', () => {
  const token = 'Authorization: Bearer test-admin-token-0123456789-0123456789\r\nContent-Type: application/json\r\n';

  it('is passed over: the request is answered, and limited, as it is', async () => {
    const head = 'Host: a\r\nX-Forwarded-For: 198.51.100.20\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n';
    const answer = await answerToBytes(product.port, `GET /api/data HTTP/1.1\r\n${head}`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/x-ratelimit-remaining: 99/i);
  });

  it('with a body that comes later', async () => {
    const body = '{"type":"ip","identifier":"1.2.3.4"}';
    const head = `Host: a\r\n${token}Upgrade: h2c\r\nConnection: Upgrade, close\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await answerToBytes(product.port, `POST /v1/admin/rate-limit/reset HTTP/1.1\r\n${head}${body}`)).toMatch(
      /^HTTP\/1\.1 204 /,
    );
  });
});

describe('what a viewer reads', () => {
  it('is everything, tokens and members included', async () => {
    const made = await product.admin('POST', '/v1/admin/tokens', { name: 'reader', role: 'viewer' });
    const { token } = (await made.json()) as { token: string };
    const as = { headers: { Authorization: `Bearer ${token}` } };
    for (const path of ['tokens', 'members', 'audit', 'policies', 'api-keys', 'decisions', 'rate-limit/quotas']) {
      expect([path, (await fetch(`${product.origin}/v1/admin/${path}`, as)).status]).toEqual([path, 200]);
    }
  });
});

describe('an expiry', () => {
  it('lies at most ten years ahead, by the calendar', async () => {
    const path = '/v1/admin/rate-limit/allowlist';
    const at = (days: number) => {
      const date = new Date();
      date.setUTCFullYear(date.getUTCFullYear() + 10, date.getUTCMonth(), date.getUTCDate() + days);
      return { type: 'user_id', identifier: 'far', reason: 'far', expires_at: date.toISOString() };
    };
    expect((await product.admin('POST', path, at(-1))).status).toBe(200);
    expect((await product.admin('POST', path, at(1))).status).toBe(400);
  });
});

describe('the global throttle', () => {
  it('changes with the very next request, down and up again', async () => {
    const ask = () => fetch(`${product.origin}/api/data`, from('198.51.100.30'));
    expect((await ask()).status).toBe(401);
    await product.admin('PATCH', '/v1/admin/policies', { global: { limit: 0, window_seconds: 60 } });
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await product.admin('PATCH', '/v1/admin/policies', { global: { limit: 1000, window_seconds: 1 } });
    expect((await ask()).status).toBe(401);
  });
});

describe('the description', () => {
  it('is shown at /docs, each section on its page', async () => {
    const document = (await (await fetch(`${product.origin}/v1/openapi.json`)).json()) as { openapi: string };
    expect(document.openapi).toMatch(/^3\.1\./);
    const page = await fetch(`${product.origin}/docs`);
    expect(page.status).toBe(200);
    const links = new Set([...(await page.text()).matchAll(/href="(\/docs\/[^"#]+)/g)].map(([, path]) => path));
    expect(links.size).toBeGreaterThan(5);
    for (const path of links) expect([path, (await fetch(`${product.origin}${path}`)).status]).toEqual([path, 200]);
  });
});

describe('metrics', () => {
  it('count decisions, their groups and every answer', async () => {
    await fetch(`${product.origin}/api/data`, from('198.51.100.40'));
    const scrape = async () => (await product.admin('GET', '/metrics')).text();
    // An answer is counted once it has been sent.
    await expect.poll(scrape).toMatch(/^sluice_http_responses_total\{route="oauth",method="GET",status="401"\} [1-9]/m);
    const text = await scrape();
    expect(text).toMatch(/^sluice_decision_seconds_count [1-9]/m);
    expect(text).toMatch(/^sluice_decision_group_size_count [1-9]/m);
  });
});
