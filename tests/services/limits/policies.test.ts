import { desc, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { audit, settings } from '@/drizzle/schema';
import { getPolicies } from '@/lib/admin/policies/get';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { getRouteRules } from '@/lib/admin/route-rules/get';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { testServices } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const get = () => call(here.services, getPolicies);
const patch = (body: unknown, headers: Record<string, string> = {}) =>
  call(here.services, patchPolicies, { body, headers });
const rules = () => call(here.services, getRouteRules);
const replace = (body: unknown, headers: Record<string, string> = {}) =>
  call(here.services, replaceRouteRules, { body, headers });
const decide = (method: string, path: string) =>
  here.services.engine.decide({ method, path, address: parseAddress('192.0.2.1'), requestId: null });

describe('policies', () => {
  test('are the defaults in a fresh installation', async () => {
    expect((await get()).json).toEqual(DEFAULT_POLICIES);
  });

  test('take a whole document from before there was a class lab', async () => {
    const { lab, ...classes } = DEFAULT_POLICIES.classes;
    const earlier = { ...DEFAULT_POLICIES, classes: { ...classes, auth: { ...classes.auth, ip: lab.ip } } };
    expect((await patch(earlier)).status).toBe(200);
    expect((await get()).json).toEqual({ ...earlier, classes: { ...earlier.classes, lab } });
  });

  test('change in part and at once, one patch over the other', async () => {
    expect((await decide('GET', '/api/x')).tightest?.limit).toBe(100);
    const first = await patch({ classes: { read: { ip: { limit: 7 } } } });
    expect(first.status).toBe(200);
    await patch({
      classes: { read: { ip: { window_seconds: 30 } }, auth: { on_store_failure: 'local' } },
      tiers: { free: 5 },
    });
    const expected = structuredClone(DEFAULT_POLICIES);
    expected.classes.read.ip = { limit: 7, window_seconds: 30 };
    expected.classes.auth.on_store_failure = 'local';
    expected.tiers.free = 5;
    expect((await get()).json).toEqual(expected);
    expect((await decide('GET', '/api/x')).tightest).toMatchObject({ limit: 7, window: 30 });
    const [record] = await here.services.database.drizzle.select().from(audit).orderBy(desc(audit.seq)).limit(1);
    expect(JSON.parse(record?.after ?? '')).toEqual(expected);
    expect(JSON.parse(record?.before ?? '')).toEqual(first.json);
  });

  test('stand over those of the environment, in every process', async () => {
    using configured = await testServices({ SLUICE_POLICIES: JSON.stringify({ tiers: { free: 50, starter: 60 } }) });
    expect((await call(configured.services, getPolicies)).json.tiers).toMatchObject({
      free: 50,
      starter: 60,
      business: 100_000,
    });
    const answer = await call(configured.services, patchPolicies, { body: { tiers: { free: 70 } } });
    expect(answer.json.tiers).toMatchObject({ free: 70, starter: 60 });
    const other = await configured.another();
    expect((await other.rules.readFresh()).policies).toEqual(answer.json);
  });

  test('give a tier a rate of its own, and take it away, over that of the environment too', async () => {
    using configured = await testServices({ SLUICE_POLICIES: JSON.stringify({ tier_rates: { free: 60 } }) });
    const rates = async (tier_rates: object) =>
      (await call(configured.services, patchPolicies, { body: { tier_rates } })).json.tier_rates;
    const none = { starter: null, business: null, enterprise: null };
    expect(await rates({})).toEqual({ free: 60, ...none });
    expect(await rates({ starter: 600 })).toEqual({ ...none, free: 60, starter: 600 });
    expect(await rates({ free: null })).toEqual({ ...none, free: null, starter: 600 });
    expect((await configured.services.rules.readFresh()).policies.tier_rates).toEqual({
      ...none,
      free: null,
      starter: 600,
    });
  });

  test('can be sent as a merge patch by name', async () => {
    const answer = await patch({ global: { limit: 5 } }, { 'Content-Type': 'application/merge-patch+json' });
    expect(answer.json.global).toEqual({ limit: 5, window_seconds: 1 });
  });

  test.each([
    [null],
    [[]],
    [{ classes: null }],
    [{ classes: { read: null } }],
    [{ classes: { read: { ip: { limit: null } } } }],
    [{ classes: { READ: {} } }],
    [{ classes: { read: { ip: { limit: -1 } } } }],
    [{ classes: { read: { ip: { limit: 1.5 } } } }],
    [{ classes: { read: { ip: { limit: '10' } } } }],
    [{ classes: { read: { ip: { window_seconds: 0 } } } }],
    [{ classes: { read: { ip: { window_seconds: 2_678_401 } } } }],
    [{ classes: { read: { on_store_failure: 'open' } } }],
    [{ classes: { read: { lease: 0 } } }],
    [{ classes: { read: { lease: 1_000_001 } } }],
    [{ tiers: { gold: 1 } }],
    [{ tier_rates: { gold: 1 } }],
    [{ tier_rates: { free: -1 } }],
    [{ clients: null }],
    [{ tiers: { free: 2 ** 53 } }],
    [{ constructor: {} }],
  ])('refuse %j', async (body) => {
    const before = await get();
    expect(await patch(body)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    const after = await get();
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  });

  test('give a class a lease, and take it away', async () => {
    expect((await patch({ classes: { read: { lease: 50 } } })).json.classes.read.lease).toBe(50);
    expect((await patch({ classes: { read: { ip: { limit: 9 } } } })).json.classes.read.lease).toBe(50);
    expect((await patch({ classes: { read: { lease: null } } })).json.classes.read.lease).toBeNull();
  });

  test('refuse a change of what was changed since it was read', async () => {
    const seen = (await get()).headers.get('etag') ?? '';
    const first = await patch({ tiers: { free: 5 } }, { 'If-Match': seen });
    expect(first.status).toBe(200);
    expect(await patch({ tiers: { free: 6 } }, { 'If-Match': seen })).toMatchObject({
      status: 412,
      json: { error: 'precondition_failed' },
    });
    expect((await patch({ tiers: { free: 6 } }, { 'If-Match': first.headers.get('etag') ?? '' })).json.tiers.free).toBe(
      6,
    );
  });
});

describe('route rules', () => {
  const RULES = [
    { method: 'POST', path: '/api/reports/:id', class: 'sensitive', cost: 5 },
    { method: '*', path: '/api/*', class: 'auth' },
  ];

  test('are none in a fresh installation, and come back as they were sent', async () => {
    expect((await rules()).text).toBe('[]');
    expect((await replace(RULES)).json).toEqual(RULES);
    expect((await rules()).json).toEqual(RULES);
  });

  test('decide with the very next request, the first that matches', async () => {
    expect((await decide('POST', '/api/reports/1')).class).toBe('write');
    await replace(RULES);
    const decision = await decide('POST', '/api/reports/1');
    expect(decision).toMatchObject({ class: 'sensitive', tightest: { limit: 30, remaining: 25 } });
    expect((await decide('GET', '/api/reports/1')).class).toBe('auth');
    expect((await decide('GET', '/elsewhere')).class).toBe('read');
    await replace([]);
    expect((await decide('POST', '/api/reports/1')).class).toBe('write');
  });

  const rule = { method: 'GET', path: '/x', class: 'read' };
  test.each([
    [{}],
    [null],
    ['/x'],
    [[{ ...rule, method: 'get' }]],
    [[{ ...rule, method: 'TRACE' }]],
    [[{ ...rule, method: '' }]],
    [[{ ...rule, path: 'x' }]],
    [[{ ...rule, path: '' }]],
    [[{ ...rule, path: '/x(' }]],
    [[{ ...rule, path: '/{' }]],
    [[{ ...rule, path: '/a?b' }]],
    [[{ ...rule, path: `/${'x'.repeat(1024)}` }]],
    [[{ ...rule, class: 'READ' }]],
    [[{ ...rule, cost: 0 }]],
    [[{ ...rule, cost: 1001 }]],
    [[{ ...rule, cost: 1.5 }]],
    [[{ ...rule, cost: null }]],
    [[{ ...rule, extra: 1 }]],
    [[rule, { method: 'GET', path: '/x' }]],
    [Array.from({ length: 1001 }, () => rule)],
  ])('refuse %j', async (body) => {
    await replace(RULES);
    expect(await replace(body)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    expect((await rules()).json).toEqual(RULES);
  });

  test.each([
    ['/api/(.*)', 'must not have a group: `(` at character 6'],
    ['/api/:id?', 'must not have `?` at character 9'],
    ['/api/{v1}', 'must not have `{` at character 6'],
    ['/api/:', 'must have a name after `:` at character 6'],
    ['api', 'must start with a slash, or be `*`'],
  ])('refuse the path %s and say where it is wrong', async (path, message) => {
    expect(await replace([rule, { ...rule, path }])).toMatchObject({
      status: 400,
      json: { error: 'invalid_request', details: [{ path: '1.path', message }] },
    });
  });

  test('of an earlier build are answered and never run, until they are put right', async () => {
    const stored = [{ method: '*', path: '/api/((?:a+)+)b', class: 'sensitive' }, ...RULES];
    await replace(RULES);
    await here.services.database.drizzle
      .update(settings)
      .set({ value: JSON.stringify(stored) })
      .where(eq(settings.name, ROUTE_RULES_SETTING));
    const another = await here.another();
    const decided = await another.engine.decide({
      method: 'POST',
      path: `/api/${'a'.repeat(8_000)}`,
      address: parseAddress('192.0.2.1'),
      requestId: null,
    });
    expect(decided.class).toBe('auth');
    expect(await rules()).toMatchObject({ status: 200, json: stored });
    const tag = (await rules()).headers.get('etag') ?? '';
    expect((await replace(stored, { 'If-Match': tag })).json.details).toMatchObject([{ path: '0.path' }]);
    expect((await replace(RULES, { 'If-Match': tag })).status).toBe(200);
    expect((await rules()).json).toEqual(RULES);
  });

  test('can be a thousand', async () => {
    expect((await replace(Array.from({ length: 1000 }, () => rule))).status).toBe(200);
  });

  test('refuse a change of what was changed since it was read', async () => {
    const seen = (await rules()).headers.get('etag') ?? '';
    expect((await replace(RULES, { 'If-Match': seen })).status).toBe(200);
    expect((await replace([], { 'If-Match': seen })).json.error).toBe('precondition_failed');
    expect((await rules()).json).toEqual(RULES);
  });
});
