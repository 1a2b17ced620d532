import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { createDecisionHandler } from '@/lib/enforcement/decision-api/answer-decision-call';
import { Engine } from '@/lib/enforcement/engine';
import type { Services } from '@/lib/operation/services';
import { TEST_ADMIN_TOKEN, TEST_START, type TestServices, testServices } from '../fixtures/services';

let place: TestServices;

beforeAll(async () => {
  place = await testServices();
});
afterAll(() => place[Symbol.dispose]());

function call(
  services: Services,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const request = new Request(`http://sluice.test${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Admin-Token': TEST_ADMIN_TOKEN, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return createDecisionHandler(async () => services)(request);
}

/** The same services with a store that cannot be reached. */
function outOfReach(): Services {
  const { services } = place;
  const out = () => Promise.reject(new StoreUnavailable('down'));
  const engine = new Engine({
    store: { ...(services.counters as CounterStore), commit: out },
    local: new MemoryCounters({ clock: services.clock }),
    breaker: new Breaker({ monotonic: services.clock }),
    rules: services.rules,
    clock: services.clock,
    record: () => undefined,
    groups: {},
    onStoreFailure: () => undefined,
  });
  return { ...services, engine };
}

describe('where there is no decision path', () => {
  it('the route handlers answer a check', async () => {
    const response = await call(place.services, '/v1/check', { class: 'auth', ip: '203.0.113.1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(await response.json()).toEqual({
      allowed: true,
      class: 'auth',
      limit: 10,
      remaining: 9,
      reset: TEST_START / 1000 + 61,
    });
  });

  it('they bound a body that does not tell its length', async () => {
    const answer = createDecisionHandler(async () => place.services);
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(chunk);
      },
    });
    const request = new Request('http://sluice.test/v1/check/batch', {
      method: 'POST',
      headers: { 'X-Admin-Token': TEST_ADMIN_TOKEN, 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await answer(request)).status).toBe(413);
  });

  it('they answer a proxy', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.2', 'X-Forwarded-Uri': '/x', 'X-Forwarded-Method': 'PUT' };
    const response = await call(place.services, '/v1/forward-auth', undefined, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-limit')).toBe('50');
    expect(response.headers.get('x-quota-reset')).toBe('');
  });

  it('faults at the start become answers', async () => {
    const answer = createDecisionHandler(() => Promise.reject(new StoreUnavailable('not there')));
    const response = await answer(new Request('http://sluice.test/v1/check', { method: 'POST' }));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBeTruthy();
    expect(await response.json()).toMatchObject({ error: 'service_unavailable' });
  });
});

describe('while the store is down', () => {
  it('a check is refused with service_unavailable where its class is closed, and 200 all the same', async () => {
    const response = await call(outOfReach(), '/v1/check', { class: 'auth', ip: '203.0.113.3' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      allowed: false,
      class: 'auth',
      error: 'service_unavailable',
      error_description: expect.any(String),
      limit: null,
      remaining: null,
      reset: null,
      retry_after: expect.any(Number),
    });
  });

  it('a check of another class is decided at half the limit, and says so', async () => {
    const services = outOfReach();
    const checks = Array.from({ length: 60 }, () => ({ class: 'read', ip: '203.0.113.4' }));
    const results = (await (await call(services, '/v1/check/batch', checks)).json()) as { allowed: boolean }[];
    expect(results.filter(({ allowed }) => allowed)).toHaveLength(50);
    expect(results[0]).toMatchObject({ status: 'degraded', limit: 50 });
  });

  it('a proxy is answered 503 with Retry-After, nginx 403 that says 503', async () => {
    const headers = {
      'X-Forwarded-For': '203.0.113.5',
      'X-Forwarded-Uri': '/auth/token',
      'X-Forwarded-Method': 'POST',
    };
    const response = await call(outOfReach(), '/v1/forward-auth', undefined, headers);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(response.headers.get('x-ratelimit-limit')).toBe('');
    expect(await response.json()).toMatchObject({ error: 'service_unavailable' });
    const nginx = await call(outOfReach(), '/v1/forward-auth?proxy=nginx', undefined, headers);
    expect(nginx.status).toBe(403);
    expect(nginx.headers.get('x-rl-status')).toBe('503');
  });
});

describe('with the IETF fields switched on', () => {
  it('they are always there too, empty where nothing is limited', async () => {
    using ietf = await testServices({ SLUICE_IETF_HEADERS: 'on' });
    const headers = { 'X-Forwarded-For': '203.0.113.6', 'X-Forwarded-Uri': '/x', 'X-Forwarded-Method': 'GET' };
    const response = await call(ietf.services, '/v1/forward-auth', undefined, headers);
    expect(response.headers.get('ratelimit-policy')).toBe('"ip";q=100;w=60');
    expect(response.headers.get('ratelimit')).toBe('"ip";r=99;t=61');
    const off = await call(place.services, '/v1/forward-auth', undefined, headers);
    expect(off.headers.has('ratelimit')).toBe(false);
  });
});
