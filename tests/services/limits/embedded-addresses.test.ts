import { expect, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { putOverride } from '@/lib/admin/overrides/add';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

/** One subscriber, as eight mechanisms write the address, and another one of the same translators. */
const SAME = [
  '203.0.113.50',
  '::ffff:203.0.113.50',
  '::ffff:0:203.0.113.50',
  '64:ff9b::203.0.113.50',
  '64:ff9b:1:fffe::203.0.113.50',
  '2002:cb00:7132::1',
  '2002:cb00:7132:abcd::2',
  '2001:0:4136:e378:8000:63bf:34ff:8ecd',
];
const OTHER = ['64:ff9b::203.0.113.51', '2002:cb00:7133::1', '2001:0:4136:e378:8000:63bf:34ff:8ecc'];

const decide = (ip: string) =>
  here.services.engine.decide({ method: 'GET', path: '/api/x', address: parseAddress(ip), requestId: null });
const remaining = async (ip: string) => (await decide(ip)).tightest?.remaining;

test('one subscriber has one counter, whatever it passes, and its neighbours have their own', async () => {
  const seen: unknown[] = [];
  for (const ip of SAME) seen.push(await remaining(ip));
  expect(seen).toEqual(SAME.map((_, index) => 99 - index));
  const others: unknown[] = [];
  for (const ip of OTHER) others.push(await remaining(ip));
  expect(others).toEqual([99, 98, 97]);
});

test.each(SAME)('%s is inspected and reset as the IPv4 address', async (identifier) => {
  await decide('203.0.113.50');
  const before = await call(here.services, inspectCounters, { query: { type: 'ip', identifier } });
  expect(before.json.identifier).toBe('203.0.113.50');
  const used = (json: typeof before.json) =>
    json.counters.find(({ class: name }: { class: string }) => name === 'read')?.used;
  expect(used(before.json)).toBeGreaterThan(0);
  expect((await call(here.services, resetCounters, { body: { type: 'ip', identifier } })).status).toBe(204);
  const after = await call(here.services, inspectCounters, { query: { type: 'ip', identifier } });
  expect(used(after.json) ?? 0).toBe(0);
});

test.each(['64:ff9b::203.0.113.0/120', '203.0.113.0/24', '2002:cb00:7100::/40'])(
  '%s allows all of them',
  async (range) => {
    const entry = { type: 'ip', identifier: range };
    const added = await call(here.services, addAllowlistEntry, { body: { ...entry, reason: 'a test' } });
    expect(added.json.identifier).toBe('203.0.113.0/24');
    for (const ip of [...SAME, ...OTHER]) expect((await decide(ip)).outcome, ip).toBe('bypassed');
    expect((await call(here.services, removeAllowlistEntry, { body: entry })).status).toBe(204);
    for (const ip of [...SAME, ...OTHER]) expect((await decide(ip)).outcome, ip).toBe('allowed');
  },
);

test('an override of the IPv4 address holds for all of them', async () => {
  const body = { type: 'ip', class: 'read', limit: 7, window_seconds: 60, reason: 'a test' };
  await call(here.services, putOverride, { body: { ...body, identifier: '64:ff9b::cb00:7132' } });
  for (const ip of SAME) expect((await decide(ip)).tightest?.limit, ip).toBe(7);
  for (const ip of OTHER) expect((await decide(ip)).tightest?.limit, ip).toBe(100);
});
