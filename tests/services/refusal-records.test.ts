import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listDecisions } from '@/lib/admin/decisions/list';
import { listCallers } from '@/lib/admin/decisions/list-callers';
import { createApiKey } from '@/lib/admin/keys/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { readStatistics } from '@/lib/admin/statistics/read';
import type { Check } from '@/lib/contract/check';
import { CheckSchema } from '@/lib/contract/check';
import { decideAdmission } from '@/lib/enforcement/admission';
import { convertCheckToFacts } from '@/lib/enforcement/decision-api/read-checks';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { refusalEvent } from '@/tests/fixtures/decision-event';
import { TEST_ADMIN_TOKEN, TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';
import { statementsOf } from '@/tests/fixtures/statements';

servicesSuite();

const NOW = TEST_START / 1000;
const list = (query: Record<string, string> = {}) => call(here.services, listDecisions, { query });
const callers = (query: Record<string, string> = {}) => call(here.services, listCallers, { query });

async function check(body: Check, times = 1): Promise<void> {
  const facts = convertCheckToFacts(CheckSchema.parse(body), 'request-1');
  await here.services.engine.decideAll(Array.from({ length: times }, () => facts));
  await here.services.statistics.flush();
}

async function policies(body: unknown): Promise<void> {
  expect((await call(here.services, patchPolicies, { body })).status).toBe(200);
}

async function newKey(name: string): Promise<{ id: string; secret: string }> {
  const body = { name, tier: 'free', client_type: 'confidential' };
  return (await call(here.services, createApiKey, { body })).json;
}

describe('the record of a refusal', () => {
  it('names IPv6 callers by the /64 that is counted, refused or bypassed, in the log, by caller and on the overview', async () => {
    await policies({ classes: { write: { ip: { limit: 1 } } } });
    for (const last of [1, 2, 3]) await check({ class: 'write', ip: `2001:db8:1:2::${last}` });
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '2001:db8:2::/48', reason: 'x' } });
    for (const last of [1, 2]) await check({ class: 'read', ip: `2001:db8:2:3::${last}` });
    expect((await list()).json.map(({ ip, identifier }: Record<string, unknown>) => [ip, identifier])).toEqual([
      ['2001:db8:2:3::2', '2001:db8:2:3::/64'],
      ['2001:db8:2:3::1', '2001:db8:2:3::/64'],
      ['2001:db8:1:2::3', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::2', '2001:db8:1:2::/64'],
    ]);
    const { json } = await callers({ outcome: 'refused' });
    expect(json).toMatchObject([{ subject: 'ip', identifier: '2001:db8:1:2::/64', count: 2 }]);
    const all = await callers({ type: 'ip', identifier: '2001:db8::/32' });
    expect(all.json.map(({ count }: { count: number }) => count)).toEqual([2, 2]);
    here.clock.advance(60_000);
    const top = (await call(here.services, readStatistics)).json.top_refused;
    expect(top).toMatchObject([{ type: 'ip', identifier: '2001:db8:1:2::/64', refused: 2 }]);
  });

  it('keeps the limit of the policy that it was measured by', async () => {
    await policies({ classes: { write: { ip: { limit: 2, window_seconds: 30 } } } });
    await check({ class: 'write', ip: '203.0.113.9', cost: 2 }, 2);
    expect((await list()).json).toMatchObject([
      {
        outcome: 'refused',
        subject: 'ip',
        limit: 2,
        window_seconds: 30,
        used: 2,
        cost: 2,
        retry_after: 31,
        reset: NOW + 31,
        source: 'policy',
        source_id: null,
      },
    ]);
  });

  it('names the override, the client type, the tier, or the allowlist entry', async () => {
    await policies({ tiers: { free: 1 }, clients: { public: { limit: 1, window_seconds: 60 } } });
    const override = { type: 'user_id', identifier: 'alice', class: 'read', limit: 0, window_seconds: 60, reason: 'x' };
    const { json: own } = await call(here.services, putOverride, { body: override });
    const entry = { type: 'ip', identifier: '198.51.100.0/24', reason: 'x' };
    await call(here.services, addAllowlistEntry, { body: entry });
    const { id } = await newKey('Store locator');
    await check({ class: 'read', user_id: 'alice' });
    await check({ class: 'auth', client_id: 'app' }, 2);
    await check({ class: 'read', api_key: id }, 2);
    await check({ class: 'read', ip: '198.51.100.7' });
    const shown = (await list()).json.map((record: Record<string, unknown>) => [
      record.subject,
      record.identifier,
      record.source,
      record.source_id,
      record.limit,
    ]);
    expect(shown).toEqual([
      ['ip', '198.51.100.7', 'allowlist', expect.any(String), null],
      ['quota', id, 'tier', 'free', 1],
      ['client', 'app', 'client', 'public', 1],
      ['user', 'alice', 'override', own.id, 0],
    ]);
    expect((await list({ subject: 'quota' })).json).toMatchObject([{ api_key_id: id, api_key_name: 'Store locator' }]);
    expect((await list({ q: 'LOCATOR' })).json).toHaveLength(1);
  });

  it('of the throttle has its limit', async () => {
    await policies({ global: { limit: 0, window_seconds: 1 } });
    const facts = convertCheckToFacts(CheckSchema.parse({ class: 'read', ip: '203.0.113.9' }), 'request-1');
    await here.services.engine.admit(facts);
    await here.services.statistics.flush();
    expect((await list()).json).toMatchObject([
      { subject: 'global', limit: 0, window_seconds: 1, used: null, reset: null, source: 'throttle' },
    ]);
  });

  it('is found by the X-Request-Id of the 429', async () => {
    await policies({ classes: { read: { ip: { limit: 1, window_seconds: 60 } } } });
    const request = () => new Request('http://sluice.test/api/data');
    await decideAdmission(request(), here.services, 'the-first');
    await decideAdmission(request(), here.services, 'another');
    const { response } = await decideAdmission(request(), here.services, 'the-one');
    expect(response?.status).toBe(429);
    const id = response?.headers.get('x-request-id') ?? '';
    await here.services.statistics.flush();
    expect((await list({ request_id: id })).json).toMatchObject([{ request_id: 'the-one', path: '/api/data' }]);
  });

  it('of an earlier version has no limit', async () => {
    here.services.database.handle!.exec(
      `insert into decisions (at, outcome, class) values (${TEST_START}, 'refused', 'read')`,
    );
    const nothing = { limit: null, window_seconds: null, used: null, cost: null, retry_after: null, reset: null };
    expect((await list()).json).toMatchObject([{ ...nothing, source: null, source_id: null, api_key_name: null }]);
  });
});

describe('the callers', () => {
  async function seed(): Promise<string> {
    const { id } = await newKey('Store locator');
    const { statistics } = here.services;
    const refuse = (seconds: number, ip: string, change = {}) =>
      statistics.record(refusalEvent(TEST_START + seconds * 1_000, ip, change));
    for (let n = 0; n < 4; n += 1) refuse(n, '203.0.113.9', { class: n === 0 ? 'auth' : 'read' });
    for (let n = 4; n < 6; n += 1) refuse(n, '203.0.113.9', { subjectType: 'quota', identifier: id, apiKeyId: id });
    refuse(6, '198.51.100.1', { path: '/other', outcome: 'bypassed', reason: null });
    refuse(7, '198.51.100.2', { subjectType: null, identifier: null, reason: 'service_unavailable' });
    await statistics.flush();
    return id;
  }

  it('are grouped by subject and identifier, the most frequent first', async () => {
    const id = await seed();
    const one = { api_key_name: null, count: 1 };
    expect((await callers()).json).toEqual([
      {
        subject: 'ip',
        identifier: '203.0.113.9',
        api_key_name: null,
        count: 4,
        classes: [
          { class: 'read', count: 3 },
          { class: 'auth', count: 1 },
        ],
        first_at: '2026-11-20T12:00:00.000Z',
        last_at: '2026-11-20T12:00:03.000Z',
      },
      {
        subject: 'quota',
        identifier: id,
        api_key_name: 'Store locator',
        count: 2,
        classes: [{ class: 'read', count: 2 }],
        first_at: '2026-11-20T12:00:04.000Z',
        last_at: '2026-11-20T12:00:05.000Z',
      },
      expect.objectContaining({ ...one, subject: null, identifier: null }),
      expect.objectContaining({ ...one, subject: 'ip', identifier: '198.51.100.1' }),
    ]);
  });

  it('are those of the decisions that pass the filters', async () => {
    const id = await seed();
    const who = async (query: Record<string, string>) =>
      (await callers(query)).json.map((caller: { identifier: string }) => caller.identifier);
    expect(await who({ class: 'auth' })).toEqual(['203.0.113.9']);
    expect(await who({ outcome: 'bypassed' })).toEqual(['198.51.100.1']);
    expect(await who({ subject: 'quota' })).toEqual([id]);
    expect(await who({ type: 'ip', identifier: '203.0.113.9' })).toEqual(['203.0.113.9', id]);
    expect(await who({ q: 'store' })).toEqual([id]);
    expect(await who({ from: '2026-11-20T12:00:07Z' })).toEqual([null]);
    expect(await who({ sort: 'first_at' })).toEqual(['203.0.113.9', id, '198.51.100.1', null]);
    expect(await who({ sort: '-last_at', limit: '2' })).toEqual([null, '198.51.100.1']);
  });

  it('come in pages, and as a download', async () => {
    await seed();
    const first = await callers({ limit: '3' });
    const [, target = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const { searchParams, pathname } = new URL(target, 'http://sluice.test');
    expect(pathname).toBe('/v1/admin/decisions/callers');
    const second = await callers(Object.fromEntries(searchParams));
    expect([...first.json, ...second.json]).toEqual((await callers()).json);
    const csv = await callers({ format: 'csv' });
    const lines = csv.text.split('\r\n');
    expect(lines[0]).toBe('subject,identifier,api_key_name,count,classes,first_at,last_at');
    expect(lines[1]).toBe('ip,203.0.113.9,,4,"read 3, auth 1",2026-11-20T12:00:00.000Z,2026-11-20T12:00:03.000Z');
  });

  it('are for viewers and above, and refuse what they do not know', async () => {
    for (const query of [{ sort: 'identifier' }, { unknown: '1' }, { type: 'ip' }, { cursor: '!!' }] as const)
      expectInvalid(await callers(query as unknown as Record<string, string>));
    const headers = { Authorization: '' };
    expect((await call(here.services, listCallers, { headers })).status).toBe(401);
    const wrong = { Authorization: `Bearer ${TEST_ADMIN_TOKEN}x` };
    expect((await call(here.services, listCallers, { headers: wrong })).status).toBe(401);
  });
});

describe('among 100,000 decisions', () => {
  const fill = () =>
    here.services.database.handle!.exec(`
      insert into decisions (at, outcome, class, reason, subject_type, identifier, method, path, ip, user_id, api_key_id, request_id)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
      select ${TEST_START} + i, iif(i % 10 = 0, 'bypassed', 'refused'), iif(i % 3 = 0, 'auth', 'read'), 'rate_limit_exceeded',
        iif(i % 5 = 0, 'user', 'ip'), iif(i % 5 = 0, 'user-' || (i % 700), '10.0.' || (i % 40) || '.' || (i % 250)),
        'GET', '/api/data/' || (i % 50), '10.0.' || (i % 40) || '.' || (i % 250), 'user-' || (i % 700),
        iif(i % 20 = 0, 'key-' || (i % 100), null), 'request-' || i
      from n`);
  const plansOf = async (work: () => Promise<{ status: number }>) => {
    const statements = await statementsOf(here.services.database, async () => expect((await work()).status).toBe(200));
    return statements.filter(({ sql }) => sql.includes('"decisions"')).map(({ plan }) => plan.join('; '));
  };

  it('an index finds those of one request, address, user, key or subject, and none is sorted', async () => {
    fill();
    const cases: [Record<string, string>, string][] = [
      [{ request_id: 'request-77' }, 'decisions_request'],
      [{ ip: '10.0.1.1' }, 'decisions_ip'],
      [{ user_id: 'user-7' }, 'decisions_user'],
      [{ api_key_id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, 'decisions_api_key'],
      [{ identifier: 'user-7' }, 'decisions_identifier'],
    ];
    for (const [query, index] of cases) {
      const plans = await plansOf(() => list(query));
      expect(plans).toEqual([expect.stringContaining(`USING INDEX ${index} (`)]);
      expect(plans[0]).not.toContain('USE TEMP B-TREE');
    }
    const [ofAddress] = await plansOf(() => list({ type: 'ip', identifier: '10.0.1.1' }));
    expect(ofAddress).toContain('MULTI-INDEX OR');
  });

  it('callers are read from an index alone where it holds the filters', async () => {
    fill();
    const filters: Record<string, string>[] = [
      {},
      { outcome: 'refused' },
      { class: 'auth', subject: 'ip' },
      { from: '2026-11-20T12:00:30Z', sort: '-last_at' },
    ];
    for (const query of filters) {
      const [plan] = await plansOf(() => callers(query));
      expect(plan).toContain('SCAN decisions USING COVERING INDEX decisions_callers');
    }
    const [ofKey] = await plansOf(() => callers({ api_key_id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }));
    expect(ofKey).toContain('USING INDEX decisions_api_key (');
  });
});
