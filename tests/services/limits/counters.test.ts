import { desc } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { audit } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { putOverride } from '@/lib/admin/overrides/add';
import { parseAddress } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

async function hit(identifier: { ip: string } | { user: string }, endpointClass: EndpointClass, times: number) {
  const subject =
    'ip' in identifier ? { address: parseAddress(identifier.ip) } : { address: undefined, userId: identifier.user };
  for (let time = 0; time < times; time += 1) {
    await here.services.engine.decide({ method: 'GET', path: '/', class: endpointClass, requestId: null, ...subject });
  }
}

const inspect = (type: string, identifier: string) =>
  call(here.services, inspectCounters, { query: { type, identifier } });
const reset = (body: Record<string, unknown>) => call(here.services, resetCounters, { body });
async function used(type: string, identifier: string): Promise<Record<string, number>> {
  const answer = await inspect(type, identifier);
  return Object.fromEntries(
    answer.json.counters.map((counter: { class: string; used: number }) => [counter.class, counter.used]),
  );
}

const NONE = { auth: 0, sensitive: 0, read: 0, write: 0, lab: 0 };

describe('inspecting', () => {
  test('shows every class with its limit, before anything was counted', async () => {
    const { json } = await inspect('ip', '192.0.2.1');
    expect(json).toMatchObject({ type: 'ip', identifier: '192.0.2.1', allowlisted: false });
    expect(
      json.counters.map((counter: Record<string, unknown>) => [
        counter.class,
        counter.limit,
        counter.used,
        counter.remaining,
        counter.window_seconds,
      ]),
    ).toEqual([
      ['auth', 10, 0, 10, 60],
      ['sensitive', 30, 0, 30, 60],
      ['read', 100, 0, 100, 60],
      ['write', 50, 0, 50, 60],
      ['lab', 300, 0, 300, 60],
    ]);
    const user = (await inspect('user_id', 'alice')).json;
    expect(user.counters.map((counter: Record<string, unknown>) => [counter.limit, counter.window_seconds])).toEqual([
      [50, 3600],
      [100, 3600],
      [5000, 3600],
      [1000, 3600],
      [5000, 3600],
    ]);
  });

  test('shows 60 slots, oldest first, whose sum is what is used', async () => {
    await hit({ ip: '192.0.2.1' }, 'read', 3);
    here.clock.advance(10_000);
    await hit({ ip: '192.0.2.1' }, 'read', 2);
    const read = (await inspect('ip', '192.0.2.1')).json.counters[2];
    expect(read).toMatchObject({ used: 5, remaining: 95, reset: here.clock.now / 1000 + 61 });
    expect(read.slots).toHaveLength(60);
    expect(read.slots[59]).toEqual({ start: '2026-11-20T12:00:10.000Z', hits: 2 });
    expect(read.slots[49]).toEqual({ start: '2026-11-20T12:00:00.000Z', hits: 3 });
    expect(read.slots[0].start).toBe('2026-11-20T11:59:11.000Z');
  });

  test('shows the slot that is leaving with the oldest one', async () => {
    await hit({ ip: '192.0.2.1' }, 'read', 4);
    here.clock.advance(60_000);
    const read = (await inspect('ip', '192.0.2.1')).json.counters[2];
    expect(read.used).toBe(4);
    expect(read.slots).toHaveLength(60);
    expect(read.slots[0]).toEqual({ start: '2026-11-20T12:00:01.000Z', hits: 4 });
    here.clock.advance(1_000);
    expect((await used('ip', '192.0.2.1')).read).toBe(0);
  });

  test('shows the /64 of an IPv6 address', async () => {
    await hit({ ip: '2001:db8::1' }, 'write', 2);
    expect((await used('ip', '2001:db8::ffff')).write).toBe(2);
    expect((await used('ip', '2001:db8::/64')).write).toBe(2);
    expect((await used('ip', '2001:db8:0:1::1')).write).toBe(0);
  });

  test('counts against an override where there is one, and says who bypasses', async () => {
    const override = {
      type: 'ip',
      identifier: '192.0.2.0/24',
      class: 'auth',
      limit: 3,
      window_seconds: 120,
      reason: 'x',
    };
    await call(here.services, putOverride, { body: override });
    await hit({ ip: '192.0.2.9' }, 'auth', 5);
    expect((await inspect('ip', '192.0.2.9')).json.counters[0]).toMatchObject({
      source: { kind: 'override', identifier: '192.0.2.0/24', reason: 'x', expires_at: null },
      limit: 3,
      used: 3,
      remaining: 0,
      window_seconds: 120,
    });
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '192.0.2.9', reason: 'x' } });
    expect((await inspect('ip', '192.0.2.9')).json).toMatchObject({
      allowlisted: true,
      bypass: { id: expect.any(String), type: 'ip', identifier: '192.0.2.9', reason: 'x', expires_at: null },
    });
    expect((await inspect('ip', '192.0.2.8')).json).toMatchObject({ allowlisted: false, bypass: null, quota: null });
    expect((await inspect('user_id', 'alice')).json.counters[0].source).toEqual({
      kind: 'policy',
      detail: 'Policy of class auth, for each user',
    });
  });

  test.each([
    'type=ip&identifier=10.0.0.0/8',
    'type=ip&identifier=2001:db8::/63',
    'type=ip&identifier=0.0.0.0',
    'type=ip',
    'identifier=alice',
    'type=IP&identifier=10.0.0.1',
    'type=user_id&identifier=',
    'type=user_id&identifier=a&class=auth',
    'type=user_id&identifier=a&identifier=b',
    'type=user_id&identifier=a&client_type=public',
    'type=api_key&identifier=alice',
    'type=client_id&identifier=a&client_type=secret',
    'type=client_id&identifier=',
    '',
  ])('refuses ?%s', async (query) => {
    expect(await call(here.services, inspectCounters, { query })).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
  });
});

describe('resetting', () => {
  test('gives one identifier its full limits again, and leaves the others alone', async () => {
    await hit({ ip: '192.0.2.1' }, 'auth', 10);
    await hit({ ip: '192.0.2.1' }, 'read', 7);
    await hit({ ip: '192.0.2.10' }, 'auth', 4);
    await hit({ user: '192.0.2.1' }, 'auth', 2);
    const answer = await reset({ type: 'ip', identifier: '192.0.2.1' });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(await used('ip', '192.0.2.1')).toEqual(NONE);
    expect((await used('ip', '192.0.2.10')).auth).toBe(4);
    expect((await used('user_id', '192.0.2.1')).auth).toBe(2);
  });

  test('of one class leaves the other classes alone', async () => {
    await hit({ user: 'alice' }, 'auth', 5);
    await hit({ user: 'alice' }, 'write', 6);
    await reset({ type: 'user_id', identifier: 'alice', class: 'auth' });
    expect(await used('user_id', 'alice')).toEqual({ ...NONE, write: 6 });
  });

  test('of an IPv6 address clears its /64', async () => {
    await hit({ ip: '2001:db8::1' }, 'read', 2);
    await reset({ type: 'ip', identifier: '2001:DB8::BEEF' });
    expect((await used('ip', '2001:db8::1')).read).toBe(0);
  });

  test.each([
    ['10.1.2.0/24', ['10.1.2.0', '10.1.2.255'], ['10.1.20.1', '10.1.3.2', '1.10.1.2']],
    ['10.1.16.0/20', ['10.1.16.1', '10.1.31.9'], ['10.1.15.255', '10.1.32.0', '10.1.160.1']],
    ['10.0.0.0/7', ['10.0.0.1', '11.255.0.1'], ['12.0.0.1', '110.0.0.1']],
    ['10.1.2.128/25', ['10.1.2.200'], ['10.1.2.127', '10.1.2.12']],
    ['0.0.0.0/0', ['10.1.2.3', '203.0.113.9'], ['2001:db8::1']],
    [
      '2001:db8::/32',
      ['2001:db8::1', '2001:db8:1:2::3', '2001:db8:0:1::1'],
      ['2001:db80::1', '2001:db9::1', '10.0.0.1'],
    ],
    ['2001:0:5::/48', ['2001:0:5::1', '2001:0:5:6::1'], ['2001:0:6::1', '2001:5::1']],
    ['::/0', ['2001:db8::1', '::1'], ['10.0.0.1']],
  ])('of %s clears all addresses in it and none outside', async (range, inside, outside) => {
    for (const ip of [...inside, ...outside]) {
      await hit({ ip }, 'read', 1);
      await hit({ ip }, 'auth', 1);
    }
    await reset({ type: 'ip', identifier: range, class: 'auth' });
    for (const ip of inside) expect([ip, await used('ip', ip)]).toEqual([ip, { ...NONE, read: 1 }]);
    for (const ip of outside) expect([ip, await used('ip', ip)]).toEqual([ip, { ...NONE, read: 1, auth: 1 }]);
    await reset({ type: 'ip', identifier: range });
    for (const ip of inside) expect([ip, await used('ip', ip)]).toEqual([ip, NONE]);
    for (const ip of outside) expect([ip, await used('ip', ip)]).toEqual([ip, { ...NONE, read: 1, auth: 1 }]);
  });

  test.each(['*', '%', 'a*', '_', '{a}', 'a|read', 'a|', '[a-z]'])(
    'takes %s for what it is, not for a pattern',
    async (identifier) => {
      await hit({ user: 'a' }, 'read', 1);
      await hit({ user: identifier }, 'read', 1);
      await reset({ type: 'user_id', identifier });
      expect((await used('user_id', 'a')).read).toBe(1);
      expect((await used('user_id', identifier)).read).toBe(0);
    },
  );

  test('of what was never counted is a success, and leaves a record like every reset', async () => {
    expect((await reset({ type: 'user_id', identifier: 'nobody', class: 'read' })).status).toBe(204);
    const [record] = await here.services.database.drizzle.select().from(audit).orderBy(desc(audit.seq)).limit(1);
    expect(record).toMatchObject({
      actor: 'bootstrap',
      action: 'counters.reset',
      targetType: 'counters',
      target: 'nobody',
    });
    expect(JSON.parse(record?.after ?? '')).toEqual({
      type: 'user_id',
      identifier: 'nobody',
      class: 'read',
      kept: true,
    });
  });
});
