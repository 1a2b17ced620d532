import { expect, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAudit } from '@/lib/admin/audit-log/list';
import { createApiKey } from '@/lib/admin/keys/create';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { undoChange } from '@/lib/admin/undo/undo';
import { type Check, CheckSchema } from '@/lib/contract/check';
import { convertCheckToFacts } from '@/lib/enforcement/decision-api/read-checks';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const inspect = (query: Record<string, string>) => call(here.services, inspectCounters, { query });
const reset = (body: Record<string, unknown>) => call(here.services, resetCounters, { body });
async function check(body: Check, times: number): Promise<void> {
  const facts = convertCheckToFacts(CheckSchema.parse(body), 'request');
  await here.services.engine.decideAll(Array.from({ length: times }, () => facts));
}
async function newKey(more: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'Store locator', tier: 'starter', client_type: 'confidential', ...more };
  return (await call(here.services, createApiKey, { body })).json.id;
}

const NOW = TEST_START / 1000;
const NOBODY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

test('an API key shows its client rate limit for all classes, and its quota', async () => {
  const id = await newKey({ overage_allowed: true });
  await check({ class: 'read', api_key: id }, 3);
  await check({ class: 'write', api_key: id }, 1);
  const { json } = await inspect({ type: 'api_key', identifier: id.toUpperCase() });
  expect(json).toMatchObject({
    type: 'api_key',
    identifier: id,
    name: 'Store locator',
    allowlisted: false,
    bypass: null,
    counters: [
      {
        class: 'all',
        limit: 100,
        used: 4,
        remaining: 96,
        window_seconds: 60,
        reset: NOW + 61,
        source: { kind: 'client', id: 'confidential', detail: 'Policy of confidential clients' },
      },
    ],
    quota: {
      tier: 'starter',
      overage_allowed: true,
      granted: 0,
      limit: 10_000,
      used: 4,
      remaining: 9_996,
      reset: Date.UTC(2026, 11, 1) / 1000,
      source: { kind: 'tier', id: 'starter', detail: 'Quota of the tier starter' },
    },
  });
  expect(json.counters[0].slots[59].hits).toBe(4);
});

test('an API key is bypassed with its user', async () => {
  const id = await newKey({ user_id: 'alice' });
  const entry = { type: 'user_id', identifier: 'alice', reason: 'Ticket 900' };
  await call(here.services, addAllowlistEntry, { body: entry });
  expect((await inspect({ type: 'api_key', identifier: id })).json).toMatchObject({
    allowlisted: true,
    bypass: { ...entry, expires_at: null },
    counters: [{ class: 'all', limit: 100 }],
  });
});

test('a key that has expired has no limits, and an unknown or revoked one is not found', async () => {
  const expires = new Date(here.clock.now + 60_000).toISOString();
  const id = await newKey({ expires_at: expires });
  here.clock.advance(60_000);
  expect((await inspect({ type: 'api_key', identifier: id })).json).toMatchObject({ counters: [], quota: null });
  expect((await inspect({ type: 'api_key', identifier: NOBODY })).status).toBe(404);
  expect((await reset({ type: 'api_key', identifier: NOBODY })).status).toBe(404);
  expect((await call(here.services, revokeApiKey, { params: { id } })).status).toBe(204);
  expect((await inspect({ type: 'api_key', identifier: id })).status).toBe(404);
});

test('an OAuth client is of the type that the lab knows, or that is asked for', async () => {
  await check({ class: 'auth', client_id: 'demo-confidential', client_type: 'confidential' }, 2);
  const limitOf = async (query: Record<string, string>) => {
    const { json } = await inspect({ type: 'client_id', ...query });
    expect(json).toMatchObject({ name: null, quota: null, bypass: null });
    const [{ limit, used, source }] = json.counters;
    return [limit, used, source.id];
  };
  expect(await limitOf({ identifier: 'demo-confidential' })).toEqual([100, 2, 'confidential']);
  expect(await limitOf({ identifier: 'demo-confidential', client_type: 'public' })).toEqual([30, 2, 'public']);
  expect(await limitOf({ identifier: 'demo-client' })).toEqual([30, 0, 'public']);
  expect(await limitOf({ identifier: 'somebody' })).toEqual([30, 0, 'public']);
});

test('resetting clears the client counter alone, unless the quota is asked for', async () => {
  const id = await newKey();
  await check({ class: 'read', api_key: id, ip: '203.0.113.7', user_id: 'alice' }, 5);
  const usedOf = async () => {
    const { json } = await inspect({ type: 'api_key', identifier: id });
    return [json.counters[0].used, json.quota.used];
  };
  expect(await usedOf()).toEqual([5, 5]);
  expect((await reset({ type: 'api_key', identifier: id })).status).toBe(204);
  expect(await usedOf()).toEqual([0, 5]);
  await check({ class: 'read', api_key: id }, 2);
  const asked = { type: 'api_key', identifier: id, quota: true, reason: 'Billing dispute' };
  expect((await reset(asked)).status).toBe(204);
  expect(await usedOf()).toEqual([0, 0]);
  expect((await inspect({ type: 'ip', identifier: '203.0.113.7' })).json.counters[2].used).toBe(5);
  const { json } = await call(here.services, listAudit, { query: { target: id, limit: '2' } });
  expect(json).toMatchObject([
    { action: 'counters.reset', target_type: 'api_key', before: { usage: 7 }, reason: 'Billing dispute' },
    { action: 'counters.reset', target_type: 'api_key', before: null },
  ]);
  const undone = await call(here.services, undoChange, { params: { seq: String(json[0].seq) } });
  expect(undone.status, undone.text).toBeLessThan(300);
  expect(await usedOf()).toEqual([2, 7]);
});

test('resetting an OAuth client clears its counter', async () => {
  await check({ class: 'auth', client_id: 'app' }, 3);
  await check({ class: 'auth', client_id: 'app-2' }, 1);
  expect((await reset({ type: 'client_id', identifier: 'app' })).status).toBe(204);
  const used = async (identifier: string) => (await inspect({ type: 'client_id', identifier })).json.counters[0].used;
  expect([await used('app'), await used('app-2')]).toEqual([0, 1]);
});

test.each([
  { type: 'api_key', identifier: 'alice' },
  { type: 'api_key', identifier: NOBODY, class: 'read' },
  { type: 'client_id', identifier: 'app', class: 'read' },
  { type: 'client_id', identifier: 'app', quota: true },
  { type: 'ip', identifier: '203.0.113.7', quota: false },
  { type: 'client', identifier: 'app' },
])('refuses to reset %o', async (body) => expectInvalid(await reset(body)));
