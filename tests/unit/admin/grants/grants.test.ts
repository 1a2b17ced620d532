import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addGrant } from '@/lib/admin/grants/add';
import { listGrants } from '@/lib/admin/grants/list';
import { removeGrant } from '@/lib/admin/grants/remove';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { undoChange } from '@/lib/admin/undo/undo';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { plan } from '@/lib/enforcement/plan';
import type { Services } from '@/lib/operation/services';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { runs } from '@/tests/fixtures/runs';
import { TEST_START, testServices } from '@/tests/fixtures/services';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (time: number) => new Date(time).toISOString();

async function newKey(services: Services): Promise<string> {
  return (await call(services, createApiKey, { body: { name: 'partner', tier: 'free' } })).json.id;
}

const grant = (services: Services, key: string, requests: number, until: number) =>
  call(services, addGrant, { body: { api_key: key, requests, until: at(until), reason: 'Migration' } });

/** The monthly limit as every reader of it sees it. */
async function limitsOf(services: Services, key: string) {
  const now = services.clock();
  const facts = { method: 'GET', path: '/api/x', address: undefined, apiKeyId: key, requestId: null };
  const planned = plan(await services.rules.readFresh(), facts, now);
  const quota = await call(services, getQuota, { params: { api_key: key } });
  const shown = await call(services, getApiKey, { params: { id: key } });
  const tier: keyof typeof DEFAULT_POLICIES.tiers = shown.json.tier;
  return {
    decided: planned.attempt.meters.find(({ subject }) => subject === 'quota')?.limit,
    quota: quota.json.limit,
    key: shown.json.limit,
    granted: DEFAULT_POLICIES.tiers[tier] + shown.json.granted,
  };
}

const all = (limit: number) => ({ decided: limit, quota: limit, key: limit, granted: limit });

describe('a grant', () => {
  it('adds to the limit until the very millisecond in which it ends, with nobody doing anything', async () => {
    using test = await testServices();
    const { services, clock } = test;
    const key = await newKey(services);
    const until = TEST_START + 2 * HOUR;
    const { status, json } = await grant(services, key, 5_000, until);
    expect([status, json]).toMatchObject([
      201,
      {
        api_key: key,
        api_key_name: 'partner',
        requests: 5_000,
        until: at(until),
        status: 'active',
        created_by: 'bootstrap',
      },
    ]);
    expect(await limitsOf(services, key)).toEqual(all(6_000));
    clock.now = until - 1;
    expect(await limitsOf(services, key)).toEqual(all(6_000));
    clock.now = until;
    expect(await limitsOf(services, key)).toEqual(all(1_000));
    expect((await call(services, listGrants)).json).toEqual([]);
    expect((await call(services, listGrants, { query: { status: 'ended', api_key: key } })).json).toMatchObject([
      { id: json.id, status: 'ended' },
    ]);
  });

  it('holds in each month in which it is active', async () => {
    using test = await testServices();
    const { services, clock } = test;
    const key = await newKey(services);
    await grant(services, key, 10, Date.UTC(2026, 11, 5));
    clock.now = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    expect(await limitsOf(services, key)).toEqual(all(1_010));
    clock.now = Date.UTC(2026, 11, 1);
    expect(await limitsOf(services, key)).toEqual(all(1_010));
    clock.now = Date.UTC(2026, 11, 5);
    expect(await limitsOf(services, key)).toEqual(all(1_000));
  });

  it('is refused for what makes no sense', async () => {
    using test = await testServices();
    const { services } = test;
    const key = await newKey(services);
    const body = { api_key: key, requests: 5, until: at(TEST_START + DAY), reason: 'Migration' };
    expectInvalid(await call(services, addGrant, { body: { ...body, until: at(TEST_START) } }));
    expectInvalid(await call(services, addGrant, { body: { ...body, until: at(TEST_START + 4_000 * DAY) } }));
    expectInvalid(await call(services, addGrant, { body: { ...body, requests: 0 } }));
    expectInvalid(await call(services, addGrant, { body: { ...body, reason: ' ' } }));
    const nobody = { ...body, api_key: '11111111-2222-4333-8444-555555555555' };
    expect((await call(services, addGrant, { body: nobody })).status).toBe(404);
    expect((await call(services, removeGrant, { body: { id: nobody.api_key } })).status).toBe(404);
  });

  it('is seen by another process at its next decision', async () => {
    using test = await testServices();
    const { services } = test;
    const other = await test.another();
    const key = await newKey(services);
    expect((await limitsOf(other, key)).decided).toBe(1_000);
    const { json } = await grant(services, key, 500, TEST_START + DAY);
    expect(await limitsOf(other, key)).toEqual(all(1_500));
    await call(services, removeGrant, { body: { id: json.id } });
    expect(await limitsOf(other, key)).toEqual(all(1_000));
  });
});

describe('several grants', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('grant' as const),
      requests: fc.integer({ min: 1, max: 9_999 }),
      hours: fc.integer({ min: 1, max: 900 }),
    }),
    fc.record({ kind: fc.constant('remove' as const), which: fc.nat(5) }),
    fc.record({ kind: fc.constant('undo' as const) }),
    fc.record({ kind: fc.constant('tier' as const), tier: fc.constantFrom('free', 'starter', 'business') }),
    fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(0.5, 1, 24, 300) }),
  );

  it('add up to the tier that the key has now, whatever ends, is removed, is taken back or changes meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        using test = await testServices();
        const { services, clock } = test;
        const key = await newKey(services);
        const granted = new Map<string, { requests: number; until: number }>();
        let tier: 'free' | 'starter' | 'business' = 'free';
        let undone: { seq: string | null; take: () => void } | null = null;
        for (const next of steps) {
          if (next.kind === 'grant') {
            const { requests, hours } = next;
            const until = clock.now + hours * HOUR;
            const { json, headers } = await grant(services, key, requests, until);
            granted.set(json.id, { requests, until });
            undone = { seq: headers.get('X-Audit-Seq'), take: () => granted.delete(json.id) };
          } else if (next.kind === 'remove') {
            const [id, record] = [...granted][next.which] ?? [];
            if (id === undefined || record === undefined) continue;
            const { status, headers } = await call(services, removeGrant, { body: { id } });
            expect(status).toBe(record.until > clock.now ? 204 : 404);
            if (status !== 204) continue;
            granted.delete(id);
            undone = { seq: headers.get('X-Audit-Seq'), take: () => granted.set(id, record) };
          } else if (next.kind === 'undo') {
            if (undone === null) continue;
            const { status } = await call(services, undoChange, { params: { seq: undone.seq ?? '' } });
            if (status === 200) undone.take();
            undone = null;
          } else if (next.kind === 'tier') {
            tier = next.tier as typeof tier;
            await call(services, changeTier, { params: { api_key: key }, body: { tier } });
          } else clock.advance(next.hours * HOUR);
          const active = [...granted.values()].filter(({ until }) => until > clock.now);
          const limit = active.reduce((sum, { requests }) => sum + requests, DEFAULT_POLICIES.tiers[tier]);
          expect(await limitsOf(services, key)).toEqual(all(limit));
        }
      }),
      runs(20),
    );
  });
});
