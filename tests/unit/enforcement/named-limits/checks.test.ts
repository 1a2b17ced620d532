import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { setIncident } from '@/lib/admin/incident/set';
import { createApiKey } from '@/lib/admin/keys/create';
import { updateApiKey } from '@/lib/admin/keys/update';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { createLimit } from '@/lib/admin/named-limits/create';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { updateLimit } from '@/lib/admin/named-limits/update';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { buildDecisionHeaders } from '@/lib/enforcement/headers';
import { HeaderFields } from '@/lib/http/header-fields';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { respell } from '@/tests/fixtures/respell';
import { TEST_ADMIN_TOKEN } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

async function send(path: string, body: unknown, services = here.services) {
  const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const request = new Request(`http://localhost:3000${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await answerDecisionCall(services, buildDecisionCall(request));
  return { status: answer.status, headers: answer.headers, json: JSON.parse(answer.body || 'null') };
}
const check = async (limits: object[], more: object = {}) => (await send('/v1/check', { limits, ...more })).json;
const settle = (id: unknown, costs?: object) => send('/v1/settle', { id, ...(costs && { costs }) });
const create = async (limit: object) => {
  const answer = await call(here.services, createLimit, { body: limit });
  expect(answer.status).toBe(201);
  return answer.json;
};
const SMS = {
  name: 'sms',
  windows: [
    { limit: 2, seconds: 10 },
    { limit: 3, seconds: 3_600 },
  ],
};
const TOKENS = { name: 'tokens', unit: 'tokens', windows: [{ limit: 1_000, seconds: 60 }] };

describe('a check of named limits', () => {
  it('holds all windows at once, and shows the tightest', async () => {
    await create(SMS);
    const sms = [{ name: 'sms', subject: '+491701' }];
    expect(await check(sms)).toMatchObject({
      ...{ allowed: true, class: null, limit: 2, remaining: 1 },
      limits: [{ name: 'sms', limit: 2, remaining: 1, window_seconds: 10 }],
    });
    expect(await check(sms)).toMatchObject({ allowed: true, remaining: 0 });
    const refused = await check(sms);
    expect(refused).toMatchObject({ allowed: false, error: 'rate_limit_exceeded', limit_name: 'sms', class: null });
    expect(refused.retry_after).toBeLessThanOrEqual(11);
    here.clock.advance(11_000);
    expect(await check(sms)).toMatchObject({
      allowed: true,
      limits: [{ limit: 3, remaining: 0, window_seconds: 3_600 }],
    });
    here.clock.advance(11_000);
    const long = await check(sms);
    expect(long).toMatchObject({ allowed: false, limits: [{ limit: 3, remaining: 0, window_seconds: 3_600 }] });
    expect(long.retry_after).toBeGreaterThan(3_500);
    expect(await check([{ name: 'sms', subject: '+491702' }])).toMatchObject({ allowed: true });
  });

  it.each(Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()))(
    'takes no member that every object has for the numbers of the limit %s',
    async (name) => {
      const windows = [{ limit: 2, seconds: 60 }];
      await create(TOKENS);
      const created = await call(here.services, createLimit, { body: { name, windows } });
      if (name === '__proto__') return expect(created.status).toBe(400);
      const limits = { tokens: [{ limit: 7, seconds: 60 }] };
      const body = { name: 'a key', tier: 'free', client_type: 'confidential' };
      const { json: key } = await call(here.services, createApiKey, { body });
      await call(here.services, updateApiKey, { params: { id: key.id }, body: { limits } });
      const reserved = await check([{ name }, { name: 'tokens' }], { api_key: key.secret, settle: true });
      expect(reserved).toMatchObject({ allowed: true, limits: [{ limit: 2 }, { limit: 7 }] });
      expect((await settle(reserved.id, { [name]: 2 })).status).toBe(200);
      expect(await check([{ name }], { api_key: key.secret })).toMatchObject({ allowed: false, limit_name: name });
      expect(await check([{ name: '__proto__' }], { api_key: key.secret })).toMatchObject({ error: 'invalid_request' });
    },
  );

  it('counts everything or nothing, with a class and other limits', async () => {
    await create(SMS);
    await create(TOKENS);
    const both = [
      { name: 'sms', subject: 'a' },
      { name: 'tokens', subject: 'a', cost: 600 },
    ];
    const asked = { class: 'auth', ip: '203.0.113.9' };
    expect(await check(both, asked)).toMatchObject({
      ...{ allowed: true, class: 'auth' },
      limits: [
        { name: 'sms', remaining: 1 },
        { name: 'tokens', limit: 1_000, remaining: 400 },
      ],
    });
    expect(await check(both, asked)).toMatchObject({ allowed: false, limit_name: 'tokens' });
    expect(await check([{ name: 'sms', subject: 'a' }])).toMatchObject({ limits: [{ remaining: 0 }] });
    expect((await send('/v1/check', asked)).json).toMatchObject({ remaining: 8 });
  });

  it('says when a cost can never be paid', async () => {
    await create(TOKENS);
    const refused = await check([{ name: 'tokens', subject: 'a', cost: 1_001 }]);
    expect(refused).toMatchObject({ allowed: false, limit_name: 'tokens' });
    expect(refused.error_description).toBe('The request costs 1001, the limit tokens is 1000.');
    expect(refused).not.toHaveProperty('retry_after');
  });

  it('counts nothing of a batch that names a limit which another instance has just removed', async () => {
    await create(SMS);
    await create(TOKENS);
    const sms = { limits: [{ name: 'sms', subject: 'a' }] };
    const tokens = { limits: [{ name: 'tokens', subject: 'a', cost: 9 }] };
    const ofClass = { class: 'read', ip: '192.0.2.1' };
    const other = await here.another();
    // The other instance decides once, so that it has cached both limits.
    expect((await send('/v1/check/batch', [sms, tokens], other)).status).toBe(200);
    await call(here.services, removeLimit, { params: { name: 'sms' } });
    const answer = await send('/v1/check/batch', [ofClass, tokens, sms], other);
    expect([answer.status, answer.json.details]).toEqual([
      400,
      [{ path: '2.limits.0.name', message: 'must name a limit' }],
    ]);
    const usedBy = async (query: Record<string, string>) =>
      (await call(here.services, inspectCounters, { query })).json.counters.map(({ used }: { used: number }) => used);
    expect(await usedBy({ type: 'ip', identifier: '192.0.2.1' })).toEqual([0, 0, 0, 0, 0]);
    expect(await usedBy({ type: 'subject', identifier: 'a' })).toEqual([9]);
    // Without that limit all of them are counted.
    expect((await send('/v1/check/batch', [ofClass, tokens], other)).json).toMatchObject([
      { allowed: true },
      { allowed: true },
    ]);
    expect(await usedBy({ type: 'subject', identifier: 'a' })).toEqual([18]);
  });

  it('refuses bad input and counts nothing', async () => {
    await create(SMS);
    const bad: [unknown, string][] = [
      [{ limits: [] }, 'limits'],
      [{ limits: [{ name: 'none', subject: 'a' }] }, 'limits.0.name'],
      [
        {
          limits: [
            { name: 'sms', subject: 'a' },
            { name: 'other', subject: 'a' },
          ],
        },
        'limits.1.name',
      ],
      [{ limits: [{ name: 'sms' }] }, 'limits.0.subject'],
      [{ limits: [{ name: 'sms', subject: '' }] }, 'limits.0.subject'],
      [{ limits: [{ name: 'sms', subject: 'x'.repeat(257) }] }, 'limits.0.subject'],
      [{ limits: [{ name: 'sms', subject: 'a', cost: 0 }] }, 'limits.0.cost'],
      [{ limits: [{ name: 'sms', subject: 'a', cost: -1 }] }, 'limits.0.cost'],
      [{ limits: [{ name: 'sms', subject: 'a', cost: 1.5 }] }, 'limits.0.cost'],
      [
        {
          limits: [
            { name: 'sms', subject: 'a' },
            { name: 'sms', subject: 'a' },
          ],
        },
        'limits.1',
      ],
      [{ limits: Array.from({ length: 9 }, (_, i) => ({ name: 'sms', subject: String(i) })) }, 'limits'],
      [{ limits: [{ name: 'sms', subject: 'a' }], settle_within: 3_601 }, 'settle_within'],
      [{ class: 'auth', ip: '203.0.113.9', settle: true }, 'limits'],
    ];
    for (const [body, field] of bad) {
      const { status, json } = await send('/v1/check', body);
      expect([field, status, json.error]).toEqual([field, 400, 'invalid_request']);
      expect(JSON.stringify(json)).toContain(field);
      const batch = await send('/v1/check/batch', [{ limits: [{ name: 'sms', subject: 'a' }] }, body]);
      expect([field, batch.status]).toEqual([field, 400]);
    }
    expect(await check([{ name: 'sms', subject: 'a' }])).toMatchObject({ limits: [{ remaining: 1 }] });
  });

  it('uses the numbers of the key, else of its tier, else of the limit', async () => {
    await create({ ...TOKENS, tiers: { starter: [{ limit: 5_000, seconds: 60 }] } });
    const keys = await Promise.all(
      ['free', 'starter', 'business'].map(async (tier) => {
        return (await call(here.services, createApiKey, { body: { name: tier, tier } })).json;
      }),
    );
    const limitOf = async (key: { secret: string }) =>
      (await check([{ name: 'tokens' }], { api_key: key.secret })).limits[0].limit;
    expect(await Promise.all(keys.map(limitOf))).toEqual([1_000, 5_000, 1_000]);
    const own = {
      limits: {
        tokens: [
          { limit: 7, seconds: 1 },
          { limit: 70, seconds: 'month' },
        ],
      },
    };
    const patched = await call(here.services, updateApiKey, { params: { id: keys[0]?.id }, body: own });
    expect(patched.json.limits).toEqual(own.limits);
    expect(await limitOf(keys[0] as never)).toBe(7);
    const gone = await call(here.services, updateApiKey, {
      params: { id: keys[0]?.id },
      body: { limits: { tokens: null } },
    });
    expect(gone.json.limits).toEqual({});
    expect(await limitOf(keys[0] as never)).toBe(1_000);
    expect(
      (await call(here.services, updateApiKey, { params: { id: keys[0]?.id }, body: { limits: { none: [] } } })).status,
    ).toBe(400);
    expect(await check([{ name: 'tokens' }], { api_key: 'slk_unknown' })).toMatchObject({ error: 'invalid_api_key' });
  });

  it('follows route rules, the allowlist and incidents', async () => {
    await create(SMS);
    const limits = [
      { name: 'sms', subject: 'ip' },
      { name: 'sms', subject: 'user' },
      { name: 'sms', subject: 'header:x-tenant' },
    ];
    const rule = { method: 'POST', path: '/codes', class: 'read', limits };
    expect(
      (await call(here.services, replaceRouteRules, { body: [{ ...rule, limits: [{ name: 'none', subject: 'ip' }] }] }))
        .status,
    ).toBe(400);
    expect((await call(here.services, replaceRouteRules, { body: [rule] })).status).toBe(200);
    const asked = { method: 'POST', path: '/codes', ip: '203.0.113.9' };
    const { json } = await send('/v1/check', { ...asked, user_id: 'alice' });
    expect(json.limits.map(({ remaining }: { remaining: number }) => remaining)).toEqual([1, 1]);
    await send('/v1/check', asked);
    expect((await send('/v1/check', asked)).json).toMatchObject({ allowed: false, limit_name: 'sms', class: 'read' });
    const body = { mode: 'factor', factor: 2, until: formatTimestamp(here.services.clock() + 3_600_000), reason: 'x' };
    expect((await call(here.services, setIncident, { body })).json).toMatchObject({ factor: 2 });
    expect((await send('/v1/check', asked)).json).toMatchObject({ allowed: true });
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.9', reason: 'x' } });
    expect((await send('/v1/check', asked)).json).toMatchObject({ allowed: true, status: 'bypassed' });
    expect(await check([{ name: 'sms', subject: 'b' }], { ip: '203.0.113.9' })).toMatchObject({ status: 'bypassed' });
  });

  it.each([
    ['a line after it', ['acme', 'x']],
    ['a line before it', ['x', 'acme']],
    ['lines around it', ['x', 'acme', 'y'], false],
    ['the same line', ['acme', 'acme']],
    ['an empty line', ['', 'acme']],
    ['another value', ['acme, x'], false],
    ['another letter', ['acm\u00e9'], false],
  ])('counts a header of forward-auth that is sent with %s', async (_, lines, isCounted = true) => {
    await create({ name: 'tenant', windows: [{ limit: 1, seconds: 60 }] });
    const limits = [{ name: 'tenant', subject: 'header:x-tenant' }];
    await call(here.services, replaceRouteRules, { body: [{ method: '*', path: '/codes', class: 'read', limits }] });
    const ask = async (tenants: readonly string[]) => {
      const fields = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'x-forwarded-uri': '/codes' };
      const raw = tenants.flatMap((tenant) => ['X-Tenant', tenant]);
      const head = buildDecisionCall(new Request('http://localhost:3000/v1/forward-auth', { headers: fields }));
      const headers = new HeaderFields({ ...fields, 'x-tenant': tenants.join(', ') }, raw);
      return (await answerDecisionCall(here.services, { ...head, headers })).status;
    };
    expect(await ask(lines)).toBe(200);
    expect(await ask(['acme'])).toBe(isCounted ? 429 : 200);
    expect(await ask(lines)).toBe(429);
    expect(await ask([Buffer.from('å', 'utf8').toString('latin1')])).toBe(200);
    expect(await check([{ name: 'tenant', subject: 'å' }])).toMatchObject({ allowed: false });
  });

  it('can be explained, inspected and reset', async () => {
    await create(SMS);
    await create({ name: 'exports', in_flight: { limit: 1, lease_seconds: 60 } });
    const sms = {
      limits: [
        { name: 'sms', subject: 'a' },
        { name: 'exports', subject: 'a' },
      ],
    };
    await send('/v1/check', sms);
    const { json } = await call(here.services, explainDecision, { body: sms });
    expect(json).toMatchObject({
      class: null,
      refused_by: ['limit'],
      decision: { allowed: false, limit_name: 'exports' },
    });
    expect(json.subjects).toHaveLength(3);
    expect(json.subjects[2]).toMatchObject({ limit_name: 'exports', in_flight: true, used: 1, refuses: true });
    const query = { type: 'subject', identifier: 'a' };
    const inspected = await call(here.services, inspectCounters, { query });
    expect(
      inspected.json.counters.map((one: { limit_name: string; used: number }) => [one.limit_name, one.used]),
    ).toEqual([
      ...[
        ['exports', 1],
        ['sms', 1],
        ['sms', 1],
      ],
    ]);
    const reset = { type: 'subject', identifier: 'a', limit_name: 'exports' };
    expect((await call(here.services, resetCounters, { body: reset })).status).toBe(204);
    expect((await send('/v1/check', sms)).json).toMatchObject({
      allowed: true,
      limits: [{ remaining: 0 }, { remaining: 0 }],
    });
  });
});

describe('an answer to a proxy', () => {
  it('lists every policy, and names those that refuse', async () => {
    await create({ ...SMS, in_flight: { limit: 1, lease_seconds: 60 } });
    const rule = { method: 'POST', path: '/codes', class: 'read', limits: [{ name: 'sms', subject: 'ip' }] };
    await call(here.services, replaceRouteRules, { body: [rule] });
    const address = parseAddress('203.0.113.9');
    const facts = { method: 'POST', path: '/codes', address, requestId: null };
    await here.services.engine.decide(facts);
    const decision = await here.services.engine.decide(facts);
    const headers = buildDecisionHeaders(decision, true);
    expect(headers['RateLimit-Policy']).toBe(
      '"ip";q=100;w=60, "sms:10";q=2;w=10, "sms:3600";q=3;w=3600, "sms:in-flight";q=1;w=60',
    );
    // Only the places refuse, so only they wait for their lease.
    expect(decision.refusal).toMatchObject({ limitName: 'sms', policies: ['sms:in-flight'] });
    const waits = [...(headers.RateLimit ?? '').matchAll(/"([^"]+)";r=\d+;t=(\d+)/g)].map(([, name, t]) => [name, t]);
    expect(Object.fromEntries(waits)['sms:in-flight']).toBe(headers['Retry-After']);
  });
});

describe('a settlement', () => {
  it('knows an id in its one spelling only', async () => {
    await create(TOKENS);
    const { id } = await check([{ name: 'tokens', subject: 'a', cost: 10 }], { settle: true });
    for (const spelling of respell(String(id)))
      expect([spelling, (await settle(spelling, { tokens: 1 })).status]).toEqual([spelling, 404]);
    expect((await settle(id, { tokens: 1 })).status).toBe(200);
    for (const spelling of respell(String(id))) expect((await settle(spelling, { tokens: 0 })).status).toBe(404);
  });

  it('replaces what was reserved, once, also on another instance', async () => {
    await create(TOKENS);
    const tokens = (cost: number) => check([{ name: 'tokens', subject: 'a', cost }], { settle: true });
    const first = await tokens(600);
    expect((await settle(first.id, { tokens: 100 })).json).toEqual({ settled: true });
    const second = await tokens(800);
    expect(second).toMatchObject({ allowed: true, limits: [{ remaining: 100 }] });
    const other = await here.another();
    expect((await send('/v1/settle', { id: second.id, costs: { tokens: 1_500 } }, other)).status).toBe(200);
    for (const again of [first, second]) expect((await settle(again.id, { tokens: 0 })).status).toBe(409);
    expect((await send('/v1/refund', { id: second.id })).status).toBe(409);
    expect(await tokens(1)).toMatchObject({ allowed: false, limits: [{ remaining: 0 }] });
    const query = { type: 'subject', identifier: 'a' };
    expect((await call(here.services, inspectCounters, { query })).json.counters[0].used).toBe(1_600);
  });

  it('is possible within its time, and names limits of the check', async () => {
    await create(TOKENS);
    const asked = [{ name: 'tokens', subject: 'a', cost: 10 }];
    const short = await check(asked, { settle: true, settle_within: 5 });
    const usual = await check(asked, { settle: true });
    expect((await settle(usual.id, { sms: 1 })).json).toMatchObject({ error: 'invalid_request' });
    expect((await settle(usual.id, { tokens: -1 })).status).toBe(400);
    expect((await settle(usual.id, { tokens: 1.5 })).status).toBe(400);
    here.clock.advance(5_001);
    expect((await settle(short.id, { tokens: 1 })).json).toMatchObject({ error: 'not_found' });
    here.clock.advance(594_999);
    expect((await settle(usual.id, { tokens: 1 })).status).toBe(200);
    expect((await settle('x', {})).status).toBe(404);
    expect(await check(asked)).not.toHaveProperty('id');
  });

  it('counts nothing after a reset, and reaches limits that were edited or removed', async () => {
    await create(TOKENS);
    const asked = [{ name: 'tokens', subject: 'a', cost: 100 }];
    const reset = await check(asked, { settle: true });
    await call(here.services, resetCounters, { body: { type: 'subject', identifier: 'a' } });
    expect((await settle(reset.id, { tokens: 500 })).status).toBe(200);
    const edited = await check(asked, { settle: true });
    expect(edited).toMatchObject({ limits: [{ remaining: 900 }] });
    await call(here.services, updateLimit, {
      params: { name: 'tokens' },
      body: { windows: [{ limit: 2_000, seconds: 60 }] },
    });
    expect((await settle(edited.id, { tokens: 10 })).status).toBe(200);
    const removed = await check(asked, { settle: true });
    expect(removed).toMatchObject({ limits: [{ limit: 2_000, remaining: 1_890 }] });
    await call(here.services, removeLimit, { params: { name: 'tokens' } });
    expect((await settle(removed.id, { tokens: 10 })).status).toBe(200);
    expect((await send('/v1/check', { limits: asked })).status).toBe(400);
    await create(TOKENS);
    expect(await check(asked)).toMatchObject({ limits: [{ remaining: 900 }] });
  });

  it('frees places, as the end of their lease does', async () => {
    await create({ name: 'exports', in_flight: { limit: 2, lease_seconds: 60 } });
    const take = () => check([{ name: 'exports', subject: 'a' }]);
    const [one, two] = [await take(), await take()];
    expect(two).toMatchObject({ allowed: true, limit: 2, remaining: 0, limits: [{ window_seconds: 60 }] });
    expect(await take()).toMatchObject({ allowed: false, limit_name: 'exports' });
    expect((await settle(one.id)).status).toBe(200);
    expect((await settle(one.id)).status).toBe(409);
    expect(await take()).toMatchObject({ allowed: true, remaining: 0 });
    expect(await take()).toMatchObject({ allowed: false });
    here.clock.advance(62_000);
    expect(await take()).toMatchObject({ allowed: true, remaining: 1 });
  });
});
