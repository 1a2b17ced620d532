import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decideAdmission, findProtection, type Protection } from '@/lib/enforcement/admission';
import type { Decision } from '@/lib/enforcement/decision';
import type { Facts } from '@/lib/enforcement/plan';
import { PEER_HEADER } from '@/lib/http/client-address';
import type { Services } from '@/lib/operation/services';
import { TEST_PEER_NONCE, type TestServices, testServices } from '@/tests/fixtures/services';

let opened: TestServices;
/** What the engine was asked, and what it says instead of what it decided. */
let asked: Facts[] = [];
let instead: Partial<Decision> = {};
let services: Services;

beforeAll(async () => {
  opened = await testServices();
  const { engine } = opened.services;
  const watched = {
    admit: async (facts: Facts) => {
      asked.push(facts);
      return { ...(await engine.admit(facts)), ...instead };
    },
  };
  services = { ...opened.services, engine: watched as unknown as Services['engine'] };
});
afterAll(() => opened[Symbol.dispose]());
beforeEach(() => {
  asked = [];
  instead = {};
  opened.clock.advance(3_600_000);
});

function ask(path: string, headers: Record<string, string> = {}, init: RequestInit = {}, by = services) {
  const request = new Request(`http://localhost:3000${path}`, {
    ...init,
    headers: { [PEER_HEADER]: `${TEST_PEER_NONCE} 203.0.113.9`, ...headers },
  });
  return decideAdmission(request, by, 'request-1');
}

describe('what enforcement is to a path', () => {
  it.each<[string, boolean, Protection]>([
    ['/x/api/data', false, 'own'],
    ['/api', false, 'protected'],
    ['/auth', false, 'protected'],
    ['/Api/Auth/Session', false, 'own'],
    ['/api/auth', false, 'own'],
    ['/api/authors', false, 'protected'],
    ['/x/api/auth/session', false, 'own'],
    ['/api/x/api/auth', false, 'protected'],
    ['/api/auth/signin/github/x', false, 'own'],
    ['/x/api/auth/signin/github', true, 'upstream'],
    ['/API/auth/SignIn/github', true, 'protected'],
  ])('%s with an upstream %s: %s', (path, hasUpstream, expected) => {
    expect(findProtection(path, hasUpstream)).toBe(expected);
  });
});

describe('a request to a protected path', () => {
  it('is decided by method, path as it was sent, and the address of the socket', async () => {
    const { response, headers, decision } = await ask('/api//data?x=1', {}, { method: 'POST' });
    expect(response).toBeNull();
    expect(decision.class).toBe('write');
    expect(headers).toMatchObject({ 'X-RateLimit-Limit': '50', 'X-RateLimit-Remaining': '49' });
    expect(asked).toEqual([
      {
        method: 'POST',
        path: '/api//data',
        address: expect.objectContaining({ text: '203.0.113.9' }),
        header: expect.any(Function),
        requestId: 'request-1',
      },
    ]);
  });

  it('names the user whom its token or session has proved', async () => {
    await ask('/api/data', { cookie: 'next-auth.session-token=garbage' });
    expect(asked[0]).not.toHaveProperty('userId');
  });

  it('names its key or its OAuth client', async () => {
    await ask('/api/data', { 'x-api-key': 'a-key, a-key' });
    await ask('/auth/token?client_id=demo-client');
    expect(asked[0]).toMatchObject({ apiKey: 'a-key' });
    expect(asked[0]).not.toHaveProperty('client');
    expect(asked[1]).toMatchObject({ client: { id: 'demo-client', type: 'public' } });
    expect(asked[1]).not.toHaveProperty('apiKey');
  });

  it.each([
    ['two keys', '/api/data', { 'x-api-key': 'one, two' }],
    ['a key and an OAuth client', '/auth/token?client_id=demo-client', { 'x-api-key': 'a-key' }],
    ['two OAuth clients to the upstream', '/auth/realms/x?client_id=one', { authorization: `Basic ${btoa('two:x')}` }],
  ])('that names %s is counted for neither, and refused as invalid', async (_, path, headers) => {
    const { response, decision } = await ask(path, headers);
    expect(asked[0]).not.toHaveProperty('apiKey');
    expect(asked[0]).not.toHaveProperty('client');
    expect(decision.outcome).toBe('allowed');
    expect(response?.status).toBe(400);
    expect(response?.headers.get('x-ratelimit-limit')).not.toBeNull();
    expect(await response?.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('counts one of two OAuth clients in the lab, which refuses them itself', async () => {
    const { response } = await ask('/auth/token?client_id=one', { authorization: `Basic ${btoa('two:x')}` });
    expect(asked[0]).toMatchObject({ client: { id: 'two' } });
    expect(response).toBeNull();
  });

  it('is refused with the limits on the answer, before what else is wrong with it', async () => {
    instead = {
      outcome: 'refused',
      refusal: { error: 'rate_limit_exceeded', description: 'Too many.', retryAfter: 7, violated: ['ip'] },
    };
    const { response } = await ask('/api/data', { 'x-api-key': 'one, two', accept: 'application/problem+json' });
    expect(response?.status).toBe(429);
    expect(response?.headers.get('retry-after')).toBe('7');
    expect(response?.headers.get('x-request-id')).toBe('request-1');
    expect(await response?.json()).toMatchObject({ error: 'rate_limit_exceeded', 'violated-policies': ['ip'] });
  });

  it('tells the IETF fields where they are switched on', async () => {
    const on = { ...services, config: { ...services.config, SLUICE_IETF_HEADERS: true } };
    expect((await ask('/api/data', {}, {}, on)).headers).toHaveProperty('RateLimit');
    expect((await ask('/api/data')).headers).not.toHaveProperty('RateLimit');
  });
});
