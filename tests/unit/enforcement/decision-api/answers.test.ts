import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Receiver } from '@/lib/counters/group-commit';
import { compileRule } from '@/lib/enforcement/classify';
import type { Decision } from '@/lib/enforcement/decision';
import {
  answerDecisionCall,
  buildDecisionCall,
  createDecisionHandler,
} from '@/lib/enforcement/decision-api/answer-decision-call';
import type { DecisionCall } from '@/lib/enforcement/decision-api/call-in-progress';
import type { Facts } from '@/lib/enforcement/plan';
import type { Answer } from '@/lib/http/error-answer';
import { HeaderFields } from '@/lib/http/header-fields';
import { SECURITY_HEADERS } from '@/lib/http/security-headers';
import type { Services } from '@/lib/operation/services';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';

const ORIGIN = 'http://localhost:3000';

let opened: TestServices;
let services: Services;
beforeAll(async () => {
  opened = await testServices({ SLUICE_USER_HEADER: 'X-User' });
  services = opened.services;
});
afterAll(() => opened[Symbol.dispose]());
beforeEach(() => opened.clock.advance(3_600_000));

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  by?: Services;
}

function call(path: string, { method = 'GET', headers = {}, body }: Sent): DecisionCall {
  return buildDecisionCall(
    new Request(ORIGIN + path, {
      method,
      headers: { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'x-request-id': 'request-of-a-test', ...headers },
      ...(body === undefined ? {} : { body }),
    }),
  );
}
const ask = (path: string, sent: Sent = {}): Promise<Answer> =>
  answerDecisionCall(sent.by ?? services, call(path, sent));
const json = (answer: Answer) => JSON.parse(answer.body ?? 'null');
const check = (body: unknown, path = '/v1/check'): Promise<Answer> =>
  ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('a check', () => {
  it('is answered 200 with what was decided', async () => {
    const answer = await check({ method: 'GET', path: '/api/x', ip: '203.0.113.9' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toEqual({
      ...SECURITY_HEADERS,
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': 'request-of-a-test',
    });
    expect(json(answer)).toMatchObject({ allowed: true, class: 'read', limit: 100, remaining: 99 });
  });

  it('of a batch is answered in order', async () => {
    const costly = { class: 'auth', ip: '203.0.113.9', cost: 6 };
    const answer = await check([costly, { class: 'read', ip: '203.0.113.9' }, costly], '/v1/check/batch');
    expect(json(answer).map((result: { allowed: boolean; class: string }) => [result.allowed, result.class])).toEqual([
      [true, 'auth'],
      [true, 'read'],
      [false, 'auth'],
    ]);
  });

  it.each([
    ['without a body', '/v1/check', '', 400, 'bad_request'],
    ['of what is no JSON', '/v1/check', '{', 400, 'bad_request'],
    ['that breaks the schema', '/v1/check', '{}', 400, 'invalid_request'],
    ['of more than 64 KiB', '/v1/check', `"${'x'.repeat(65_535)}"`, 413, 'payload_too_large'],
    ['of 64 KiB', '/v1/check', `"${'x'.repeat(65_534)}"`, 400, 'invalid_request'],
    ['of a batch of more than 64 KiB', '/v1/check/batch', `"${'x'.repeat(65_535)}"`, 400, 'invalid_request'],
    ['of a batch of more than 1 MiB', '/v1/check/batch', `"${'x'.repeat(1_048_575)}"`, 413, 'payload_too_large'],
    ['with a query', '/v1/check?x', '{"class":"read"}', 400, 'invalid_request'],
  ])('%s: %s', async (_, path, body, status, error) => {
    const answer = await ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(answer.status).toBe(status);
    expect(json(answer).error).toBe(error);
  });
});

describe('a call of the decision API', () => {
  it('needs a token that may ask', async () => {
    const answer = await ask('/v1/forward-auth', { headers: { authorization: 'Bearer wrong' } });
    expect(answer.status).toBe(401);
    expect(json(answer).error).toBe('unauthorized');
  });

  it.each([
    ['GET', '/v1/check', 405, 'POST, OPTIONS'],
    ['PUT', '/v1/check/batch', 405, 'POST, OPTIONS'],
    ['PUT', '/v1/forward-auth', 405, 'GET, HEAD, POST, OPTIONS'],
    ['OPTIONS', '/v1/check', 204, 'POST, OPTIONS'],
    ['OPTIONS', '/v1/forward-auth', 204, 'GET, HEAD, POST, OPTIONS'],
  ])('%s %s is %i and names the methods', async (method, path, status, allow) => {
    const answer = await ask(path, { method, headers: { authorization: '' } });
    expect(answer).toMatchObject({ status, headers: { Allow: allow, 'X-Request-Id': 'request-of-a-test' } });
    expect(answer.body === null).toBe(status === 204);
    if (status === 405) expect(json(answer).error_description).toContain(allow);
  });

  it('may end with a question mark and nothing after it', async () => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = '{"class":"read","ip":"203.0.113.9"}';
    const asked = { ...call('/v1/check', { ...sent, body }), target: '/v1/check?' };
    expect((await answerDecisionCall(services, asked)).status).toBe(200);
    const more = { ...call('/v1/check', { ...sent, body }), target: '/v1/check?x' };
    expect((await answerDecisionCall(services, more)).status).toBe(400);
  });

  it('of another path is not found', async () => {
    expect((await ask('/v1/checks')).status).toBe(404);
    expect((await ask('/v1/forward-authority')).status).toBe(404);
  });

  it('that fails in here is logged and answered without internals', async () => {
    const logged: unknown[] = [];
    const failing = {
      ...services,
      engine: {
        decideTo: (_: unknown, receiver: Receiver<unknown>) => receiver.reject(new Error('a secret of the inside')),
      },
      logger: { error: (entry: unknown) => logged.push(entry) },
    } as unknown as Services;
    const answer = await ask('/v1/forward-auth', { by: failing });
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('inside');
    expect(logged).toMatchObject([{ requestId: 'request-of-a-test', err: { message: 'a secret of the inside' } }]);
    await ask('/v1/none', { by: failing });
    expect(logged).toHaveLength(1);
  });

  it('comes through a route handler of Next too, which leaves the body of a HEAD out', async () => {
    const answer = createDecisionHandler(async () => services);
    const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}` };
    const asked = await answer(new Request(`${ORIGIN}/v1/none`, { headers }));
    expect(asked.status).toBe(404);
    expect(await asked.json()).toMatchObject({ error: 'not_found' });
    expect(await (await answer(new Request(`${ORIGIN}/v1/none`, { method: 'HEAD', headers }))).text()).toBe('');
    const down = createDecisionHandler(() => Promise.reject(new Error('not started')));
    expect((await down(new Request(`${ORIGIN}/v1/check`, { method: 'POST' }))).status).toBe(500);
  });
});

describe('a request as a call', () => {
  const call = (body: BodyInit) =>
    buildDecisionCall(new Request(`${ORIGIN}/v1/check?x`, { method: 'POST', body, duplex: 'half' } as RequestInit));

  const read = (body: BodyInit, limit: number) =>
    new Promise<Uint8Array | null>((done, failed) => call(body).read(limit, done, failed));

  it('reads at most as much as it may', async () => {
    expect(call('12345').target).toBe('/v1/check?x');
    expect(Buffer.from((await read('12345', 5)) ?? []).toString()).toBe('12345');
    expect(await read('123456', 5)).toBeNull();
  });

  it('does not call a body too large that broke off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    await expect(read(broken, 5)).rejects.toThrow('reset');
  });
});

describe('a question of a reverse proxy', () => {
  const forwarded = (headers: Record<string, string>, path = '/v1/forward-auth', sent: Sent = {}) =>
    ask(path, { ...sent, headers: { 'x-forwarded-for': '203.0.113.9', ...headers } });

  it('is answered with every header that is documented, empty where it has no value', async () => {
    const answer = await forwarded({ 'x-forwarded-method': 'post', 'x-forwarded-uri': '/api/x?y' });
    expect(answer).toMatchObject({
      status: 200,
      body: '',
      headers: {
        'X-RateLimit-Limit': '50',
        'X-RateLimit-Remaining': '49',
        'X-RateLimit-Status': '',
        'X-Quota-Limit': '',
        'X-Quota-Remaining': '',
        'X-Quota-Reset': '',
        'Retry-After': '',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': 'request-of-a-test',
      },
    });
    expect(answer.headers).not.toHaveProperty('RateLimit');
    const on = { ...services, config: { ...services.config, SLUICE_IETF_HEADERS: true } };
    expect((await forwarded({}, '/v1/forward-auth', { by: on })).headers.RateLimit).toContain('"ip";r=');
    services.rules.current.allowedUsers.set('vip', { id: 'entry', expiresAt: null });
    const bypassed = await forwarded({ 'x-user': 'vip' }, '/v1/forward-auth', { by: on });
    expect(bypassed.headers).toMatchObject({ 'X-RateLimit-Status': 'bypassed', RateLimit: '', 'RateLimit-Policy': '' });
  });

  /** A head with repeated fields, as `server.mjs` has it and as Next has it. */
  function repeated(...fields: readonly [name: string, value: string][]): [DecisionCall, DecisionCall] {
    const all: [string, string][] = [
      ['authorization', `Bearer ${TEST_ADMIN_TOKEN}`],
      ['x-forwarded-for', '203.0.113.9'],
      ...fields,
    ];
    const joined = new Headers(all);
    const { read } = call('/v1/forward-auth', {});
    const head = { method: 'GET', url: `${ORIGIN}/v1/forward-auth`, target: '/v1/forward-auth', read };
    const served = new HeaderFields(Object.fromEntries(joined), all.flat());
    return [
      { ...head, headers: served },
      { ...head, headers: joined },
    ];
  }

  describe.each([
    ['X-Forwarded-Method', 'POST', 'GET'],
    ['X-Forwarded-Uri', '/api/x', '/login'],
    ['X-User', 'alice', 'mallory'],
    ['X-API-Key', 'slk_a', 'slk_b'],
  ])('with %s twice', (name, value, other) => {
    it.each([
      ['first', [other, value]],
      ['last', [value, other]],
      ['empty', [value, '', other]],
    ])('is refused where another value is %s', async (_, values) => {
      for (const asked of repeated(...values.map((each): [string, string] => [name, each]))) {
        const answer = await answerDecisionCall(services, asked);
        expect(answer.status).toBe(400);
        expect(json(answer).error).toBe('invalid_request');
      }
    });

    it('is that of the value where both are the same', async () => {
      for (const asked of repeated([name, value], [name, value])) {
        const once = await ask('/v1/forward-auth', { headers: { 'x-forwarded-for': '203.0.113.9', [name]: value } });
        expect((await answerDecisionCall(services, asked)).status).toBe(once.status);
      }
    });
  });

  it('counts for one user whose id has a comma, where the fields can be told apart', async () => {
    const [served, joined] = repeated(['X-User', 'CN=Doe, John']);
    expect((await answerDecisionCall(services, served)).status).toBe(200);
    expect((await answerDecisionCall(services, joined)).status).toBe(400);
  });

  it('may have a chain of addresses in several fields', async () => {
    for (const asked of repeated(['x-forwarded-for', '203.0.113.10']))
      expect((await answerDecisionCall(services, asked)).status).toBe(200);
  });

  it('may have commas in its path, and bytes beyond ASCII', async () => {
    services.rules.current.routeRules = [compileRule({ method: '*', path: '/café/1,/2', class: 'auth' })];
    for (const path of ['/café/1,/2', '/caf%c3%a9/1,/2']) {
      const uri = Buffer.from(path, 'utf8').toString('latin1');
      expect((await forwarded({ 'x-forwarded-uri': uri })).headers['X-RateLimit-Limit']).toBe('10');
    }
  });

  async function refused(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const exhausted = { method: 'GET', path: '/', ip: '203.0.113.9', cost: 100 };
    await check(exhausted);
    return forwarded(headers, path);
  }

  it('is refused as enforcement refuses', async () => {
    const answer = await refused('/v1/forward-auth', { accept: 'application/problem+json' });
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({ 'X-RateLimit-Remaining': '0', 'Content-Type': 'application/problem+json' });
    expect(Number(answer.headers['Retry-After'])).toBeGreaterThan(0);
    expect(answer.headers).not.toHaveProperty('X-RL-Status');
  });

  it('is refused to nginx with 403, the status and the body in headers', async () => {
    const answer = await refused('/v1/forward-auth?x=1&proxy=nginx', { accept: 'application/problem+json' });
    expect(answer.status).toBe(403);
    expect(answer.headers).toMatchObject({ 'X-RL-Status': '429', 'Content-Type': 'application/json; charset=utf-8' });
    expect(JSON.parse(answer.headers['X-RL-Body'] ?? '')).toMatchObject({ error: 'rate_limit_exceeded' });
    opened.clock.advance(3_600_000);
    const admitted = await forwarded({}, '/v1/forward-auth?proxy=nginx');
    expect(admitted).toMatchObject({ status: 200, headers: { 'X-RL-Status': '200', 'X-RL-Body': '' } });
    expect((await forwarded({}, '/v1/forward-auth?proxy=caddy')).headers).not.toHaveProperty('X-RL-Status');
  });

  /** What the engine is asked. */
  async function factsOf(headers: Record<string, string>, path = '/v1/forward-auth', method = 'GET') {
    const asked: unknown[] = [];
    const watching = {
      ...services,
      engine: {
        decideTo: (facts: Facts, receiver: Receiver<Decision>) => {
          asked.push(facts);
          services.engine.decideTo(facts, receiver);
        },
      },
    } as unknown as Services;
    const answer = await forwarded(headers, path, { method, by: watching });
    return asked[0] ?? answer.status;
  }

  it('is about the method and path that the proxy names, else about its own', async () => {
    expect(await factsOf({ 'x-forwarded-method': 'delete', 'x-forwarded-uri': '/a/b?c' })).toMatchObject({
      method: 'DELETE',
      path: '/a/b',
      address: { text: '203.0.113.9' },
      requestId: 'request-of-a-test',
    });
    expect(await factsOf({ 'x-forwarded-uri': 'https://site.example/a' }, undefined, 'POST')).toMatchObject({
      method: 'POST',
      path: '/a',
    });
    expect(await factsOf({ 'x-forwarded-uri': 'HTTPS://site.example' }, undefined, 'HEAD')).toMatchObject({
      method: 'GET',
      path: '/',
    });
    expect(await factsOf({ 'x-forwarded-uri': '/x/https://site.example/a' })).toMatchObject({
      path: '/x/https://site.example/a',
    });
    expect(await factsOf({ 'x-forwarded-method': 'not a method' })).toBe(400);
    expect(await factsOf({ 'x-forwarded-method': '7GET' })).toBe(400);
  });

  it('of Envoy is about its own method and the rest of its path', async () => {
    const asked = { 'x-forwarded-method': 'POST', 'x-forwarded-uri': '/other' };
    expect(await factsOf(asked, '/v1/forward-auth/envoy/a/b?c', 'HEAD')).toMatchObject({
      method: 'HEAD',
      path: '/a/b',
    });
    expect(await factsOf(asked, '/v1/forward-auth/envoy/a', 'OPTIONS')).toMatchObject({ method: 'OPTIONS' });
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await factsOf(asked, '/v1/forward-auth/envoy/a', method)).toMatchObject({ method });
    const nginx = await forwarded({}, '/v1/forward-auth/envoy/?proxy=nginx');
    expect(nginx.headers).not.toHaveProperty('X-RL-Status');
  });

  it('is a preflight by its method and two headers', async () => {
    const asked = { 'x-forwarded-method': 'OPTIONS', origin: 'https://app.example' };
    const preflight = { ...asked, 'access-control-request-method': 'PUT' };
    expect(await factsOf(preflight)).toMatchObject({ preflight: true });
    expect(await factsOf(preflight, '/v1/forward-auth/envoy/a', 'OPTIONS')).toMatchObject({ preflight: true });
    expect(await factsOf(asked)).not.toHaveProperty('preflight');
    expect(await factsOf({ ...preflight, 'x-forwarded-method': 'POST' })).not.toHaveProperty('preflight');
    const { headers } = await forwarded(preflight);
    expect([headers['X-RateLimit-Limit'], headers['X-RateLimit-Status']]).toEqual(['', '']);
  });

  it.each(['PROPFIND', 'REPORT', 'MKCOL', 'VERSION-CONTROL', 'M-SEARCH', 'CONNECT', 'TRACE'])(
    'takes every method that a proxy names: %s',
    async (method) => expect(await factsOf({ 'x-forwarded-method': method })).toMatchObject({ method }),
  );

  it('names a key, and is invalid where it names two', async () => {
    expect(await factsOf({ 'x-api-key': 'one, one' })).toMatchObject({ apiKey: 'one' });
    expect(await factsOf({})).not.toHaveProperty('apiKey');
    const two = await forwarded({ 'x-api-key': 'one, two' });
    expect(two).toMatchObject({ status: 400, headers: { 'X-RateLimit-Limit': '100' } });
    expect(json(two).error).toBe('invalid_request');
  });

  it('names the user in the header that the operator has chosen, in UTF-8', async () => {
    expect(await factsOf({ 'x-user': 'alice' })).toMatchObject({ userId: 'alice' });
    const utf8 = Buffer.from('zoë', 'utf8').toString('latin1');
    expect(await factsOf({ 'x-user': utf8 })).toMatchObject({ userId: 'zoë' });
    expect(await factsOf({ 'x-user': 'zo\u00eb' })).toMatchObject({ userId: 'zoë' });
    expect(await factsOf({ 'x-user': '' })).not.toHaveProperty('userId');
    expect(await factsOf({ 'x-user': 'x'.repeat(257) })).toBe(400);
    const none = { ...services, config: { ...services.config, SLUICE_USER_HEADER: undefined } };
    expect((await forwarded({ 'x-user': 'x'.repeat(257) }, '/v1/forward-auth', { by: none })).status).toBe(200);
  });
});
