import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { alertEvents, alerts, deliveries } from '@/drizzle/alerts-schema';
import { keyDays } from '@/drizzle/schema';
import { watchBursts } from '@/lib/admin/alerts/bursts';
import { watchExceptions } from '@/lib/admin/alerts/exceptions';
import { watchForecasts } from '@/lib/admin/alerts/forecasts';
import { HealthWatch } from '@/lib/admin/alerts/health-watch';
import { listAlerts } from '@/lib/admin/alerts/list';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { resolveThresholds } from '@/lib/admin/alerts/quota-thresholds';
import { removeOutdatedAlerts } from '@/lib/admin/alerts/remove-outdated';
import { putAlertSettings } from '@/lib/admin/alerts/settings';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { addGrant } from '@/lib/admin/grants/add';
import { runHousekeeping } from '@/lib/admin/housekeeping/run';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { createWebhook } from '@/lib/admin/webhooks/create';
import { StoreUnavailable } from '@/lib/counters/store';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import type { ApiKeyId } from '@/lib/ids';
import type { Services } from '@/lib/operation/services';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { call } from '@/tests/fixtures/call';
import { decisionEvent, refusalEvent } from '@/tests/fixtures/decision-event';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

servicesSuite();

const told = async () => {
  const rows = await here.services.database.drizzle.select().from(alertEvents).orderBy(sql`rowid`);
  return rows.map(({ type }) => type);
};
const open = async () => (await call(here.services, listAlerts)).json;
const summaries = async () => (await open()).map(({ summary }: { summary: string }) => summary);
const key = async (name: string, tier = 'free'): Promise<string> =>
  (await call(here.services, createApiKey, { body: { name, tier } })).json.id;
const set = (body: unknown) => call(here.services, putAlertSettings, { body });

async function use(services: Services, id: string, cost: number): Promise<void> {
  const meter = { subject: 'quota', key: buildQuotaKey(id as ApiKeyId), limit: 0, window: { kind: 'month' } } as const;
  const attempt = { meters: [{ ...meter, unlimited: true as const }], cost };
  await services.counters.commit((await services.rules.readFresh()).revision, [attempt]);
  services.statistics.usage.keepKeys([id]);
}

describe('a threshold of a quota', () => {
  it('is told of once, by whichever instance sees it, and resolved by more room', async () => {
    const { services, clock } = here;
    const other = await here.another();
    await call(services, createWebhook, { body: { name: 'a', url: 'https://hooks.example.com/' } });
    const id = await key('Reports');
    await use(services, id, 800);
    other.statistics.usage.keepKeys([id]);
    await Promise.all([markQuotaThresholds(services), markQuotaThresholds(other)]);
    await use(services, id, 1);
    await markQuotaThresholds(services);
    expect(await told()).toEqual(['quota.threshold']);
    const [alert] = await open();
    expect(alert).toMatchObject({
      event: 'quota.threshold',
      subject: `api_key:${id}`,
      summary: 'The key Reports has reached 80% of its quota of November 2026: 800 of 1,000 requests.',
      link: `/keys/${id}`,
    });
    expect(await services.database.drizzle.$count(deliveries)).toBe(1);
    await resolveThresholds(services);
    expect(await open()).toHaveLength(1);
    await use(services, id, 300);
    await markQuotaThresholds(services);
    expect(await told()).toEqual(['quota.threshold', 'quota.threshold']);
    await call(services, changeTier, { params: { api_key: id }, body: { tier: 'starter' } });
    await resolveThresholds(services);
    await resolveThresholds(other);
    expect(await open()).toEqual([]);
    // Back again within the month: it was told of.
    await call(services, changeTier, { params: { api_key: id }, body: { tier: 'free' } });
    await use(services, id, 1);
    await markQuotaThresholds(services);
    expect(await told()).toHaveLength(4);
    clock.advance(20 * DAY);
    await use(services, id, 1_000);
    await markQuotaThresholds(services);
    expect(await told()).toHaveLength(6);
  });

  it('names the month of the counters, which an instance with another clock shares', async () => {
    const { services, clock } = here;
    const id = await key('Reports');
    const ahead = { ...services, clock: () => services.clock() + 35 * DAY };
    await use(services, id, 800);
    services.statistics.usage.keepKeys([id]);
    expect(await markQuotaThresholds(ahead)).toBe(1);
    await resolveThresholds(ahead);
    await resolveThresholds(services);
    services.statistics.usage.keepKeys([id]);
    expect(await markQuotaThresholds(services)).toBe(0);
    expect(await summaries()).toEqual([
      'The key Reports has reached 80% of its quota of November 2026: 800 of 1,000 requests.',
    ]);
    clock.advance(35 * DAY);
    await use(services, id, 800);
    expect(await markQuotaThresholds(services)).toBe(1);
  });

  it('goes by the settings, and is resolved when it is switched off', async () => {
    const { services } = here;
    await set({ quota_threshold: { percent: [50, 10] } });
    const id = await key('Reports');
    await use(services, id, 100);
    await markQuotaThresholds(services);
    expect(await summaries()).toEqual([expect.stringMatching(/has reached 10% of its quota/)]);
    await set({ quota_threshold: { enabled: false } });
    await resolveThresholds(services);
    expect(await open()).toEqual([]);
    await use(services, id, 900);
    await markQuotaThresholds(services);
    expect(await open()).toEqual([]);
  });
});

it('a quota that runs out within days is told of once a month', async () => {
  const { services, clock } = here;
  const id = await key('Reports');
  clock.advance(3 * DAY);
  const days = [1, 2, 3].map((ago) => ({
    apiKeyId: id as ApiKeyId,
    day: Math.floor(clock.now / DAY) * DAY - ago * DAY,
    allowed: 200,
    refused: 0,
  }));
  await services.database.drizzle.insert(keyDays).values(days);
  await use(services, id, 600);
  await watchForecasts(services);
  await watchForecasts(await here.another());
  expect(await summaries()).toEqual([
    'The quota of the key Reports runs out on 2026-11-25 at the pace of its last days.',
  ]);
  await call(services, changeTier, { params: { api_key: id }, body: { tier: 'business' } });
  await watchForecasts(services);
  expect(await told()).toEqual(['quota.forecast', 'quota.forecast.resolved']);
});

it('a burst of refusals is told of once, until it has calmed down', async () => {
  const { services, clock } = here;
  const refuse = async (times: number) => {
    for (let i = 0; i < times; i += 1) services.statistics.record(refusalEvent(clock.now, '203.0.113.66'));
    await services.statistics.flush();
  };
  await set({ refusals_burst: { refusals: 50, minutes: 5 } });
  await refuse(49);
  await watchBursts(services);
  expect(await told()).toEqual([]);
  await refuse(1);
  await watchBursts(services);
  await watchBursts(await here.another());
  expect(await summaries()).toEqual(['203.0.113.66 was refused 50 times within 5 minutes.']);
  clock.advance(6 * MINUTE);
  await refuse(30);
  await watchBursts(services);
  expect(await open()).toHaveLength(1);
  clock.advance(6 * MINUTE);
  await watchBursts(services);
  await refuse(60);
  await watchBursts(services);
  expect(await told()).toEqual(['refusals.burst', 'refusals.burst.resolved', 'refusals.burst']);
});

it('exceptions that end soon are told of once for each end, but not those made for a short time', async () => {
  const { services, clock } = here;
  const entry = (identifier: string, hours: number) => ({
    ...{ type: 'ip', identifier, reason: 'Office' },
    expires_at: new Date(clock.now + hours * HOUR).toISOString(),
  });
  const id = await key('Reports');
  await call(services, addAllowlistEntry, { body: entry('203.0.113.7', 30) });
  await call(services, addAllowlistEntry, { body: entry('203.0.113.8', 30) });
  await call(services, addAllowlistEntry, { body: entry('203.0.113.9', 5) });
  const until = new Date(clock.now + 48 * HOUR).toISOString();
  await call(services, addGrant, { body: { api_key: id, requests: 5_000, until, reason: 'Migration' } });
  await watchExceptions(services);
  expect(await open()).toEqual([]);
  clock.advance(7 * HOUR);
  await watchExceptions(services);
  await watchExceptions(await here.another());
  expect((await summaries()).toSorted()).toEqual([
    'The allowlist entry of 203.0.113.7 ends on 2026-11-21 at 18:00 UTC (Office).',
    'The allowlist entry of 203.0.113.8 ends on 2026-11-21 at 18:00 UTC (Office).',
  ]);
  await call(services, removeAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.7' } });
  await watchExceptions(services);
  expect(await open()).toHaveLength(1);
  clock.advance(24 * HOUR);
  await watchExceptions(services);
  expect(await summaries()).toEqual([
    'The grant of 5,000 requests to the key Reports ends on 2026-11-22 at 12:00 UTC (Migration).',
  ]);
  clock.advance(24 * HOUR);
  await watchExceptions(services);
  expect(await open()).toEqual([]);
  const resolutions = await services.database.drizzle.select().from(alerts);
  expect(resolutions.map(({ resolution }) => resolution).toSorted()).toEqual([
    'It has ended.',
    'It has ended.',
    'It was removed, or its end was changed.',
  ]);
});

it('a counter store that is down is told of, once for all instances, until none sees it down', async () => {
  const { services, clock } = here;
  let down = true;
  const failing: Services = {
    ...services,
    counters: { ...services.counters, ping: () => (down ? Promise.reject(new Error('down')) : Promise.resolve()) },
  };
  const one = new HealthWatch(failing);
  const two = new HealthWatch(await here.another());
  await one.check();
  clock.advance(14_000);
  await one.check();
  expect(await told()).toEqual([]);
  clock.advance(2_000);
  await one.check();
  clock.advance(30_000);
  await one.check();
  clock.advance(30_000);
  // The other instance reaches it, which says nothing about the first one.
  await two.check();
  expect(await summaries()).toEqual(['The counter store is down since 12:00:00 UTC.']);
  down = false;
  clock.advance(50_000);
  await one.check();
  await two.check();
  expect(await told()).toEqual(['store.down', 'store.down.resolved']);
});

describe('a counter store that fails intermittently', () => {
  const withoutStore = async (change: Partial<DecisionEvent> = { outcome: 'degraded' }) => {
    here.services.statistics.record(decisionEvent(here.clock.now, change));
    await here.services.statistics.flush();
  };
  const states = async () => (await open()).map(({ details }: { details: { state: string } }) => details.state);

  it('is told of as degraded in the third minute of five, and resolved when five have passed without', async () => {
    const watch = new HealthWatch(here.services);
    for (const minute of [1, 2, 3]) {
      await watch.check();
      expect([minute, await told()]).toEqual([minute, []]);
      here.clock.advance(MINUTE);
      await withoutStore();
      await withoutStore();
    }
    await watch.check();
    await new HealthWatch(await here.another()).check();
    expect(await summaries()).toEqual([
      'The counter store fails intermittently: at least 6 decisions within 5 minutes were made without it.',
    ]);
    expect(await states()).toEqual(['degraded']);
    here.clock.advance(4 * MINUTE);
    await watch.check();
    expect(await told()).toEqual(['store.down']);
    here.clock.advance(MINUTE);
    await watch.check();
    expect(await told()).toEqual(['store.down', 'store.down.resolved']);
    const [{ resolution }] = (await call(here.services, listAlerts, { query: { status: 'resolved' } })).json;
    expect(resolution).toBe('No decision of the last 5 minutes was made without it.');
  });

  it('is told of by its refusals, too, but not by those of the throttle or an incident', async () => {
    const watch = new HealthWatch(here.services);
    const unavailable = { outcome: 'refused', reason: 'service_unavailable' } as const;
    for (const source of ['throttle', 'incident', null] as const) {
      for (let minute = 0; minute < 3; minute += 1) {
        await withoutStore({ ...unavailable, source });
        here.clock.advance(MINUTE);
      }
      await watch.check();
      expect([source, await states()]).toEqual([source, source === null ? ['degraded'] : []]);
    }
  });

  it('turns into one that is down, whose decisions make no alert of their own when it works again', async () => {
    let down = false;
    const counters = { ...here.services.counters, ping: async () => expect(down).toBe(false) };
    const watch = new HealthWatch({ ...here.services, counters });
    for (let minute = 0; minute < 3; minute += 1) {
      await withoutStore();
      here.clock.advance(MINUTE);
    }
    await watch.check();
    down = true;
    for (let look = 0; look < 8; look += 1) {
      await watch.check();
      await withoutStore();
      here.clock.advance(30_000);
    }
    expect(await states()).toEqual(['down']);
    down = false;
    here.clock.advance(20_000);
    await watch.check();
    await watch.check();
    expect(await told()).toEqual(['store.down', 'store.down.resolved', 'store.down', 'store.down.resolved']);
  });
});

it('where only a cron calls, a counter store that is down is told of within one call', async () => {
  const { services } = here;
  await set({ store_down: { seconds: 1 } });
  let down = true;
  const counters = new Proxy(services.counters, {
    get: (target, name) =>
      down && ['ping', 'read', 'sweep'].includes(String(name))
        ? () => Promise.reject(new StoreUnavailable('down'))
        : Reflect.get(target, name, target),
  });
  const start = performance.now();
  let ahead = 0;
  const clock = () => here.clock.now + ahead + Math.round(performance.now() - start);
  const config = { ...services.config, CRON_SECRET: 'secret of the cron of the tests' };
  const cron = { headers: { Authorization: `Bearer ${config.CRON_SECRET}` } };
  expect((await call({ ...services, counters, config, clock }, runHousekeeping, cron)).status).toBe(503);
  expect(await told()).toEqual(['store.down']);
  down = false;
  ahead = HOUR;
  expect((await call({ ...services, counters, config, clock }, runHousekeeping, cron)).status).toBe(200);
  expect(await told()).toEqual(['store.down', 'store.down.resolved']);
});

it('a clock that is off is told of', async () => {
  const { services, clock } = here;
  let clockSkew = -3_500;
  const engine = new Proxy(services.engine, {
    get: (target, name) => (name === 'clockSkew' ? clockSkew : Reflect.get(target, name, target)),
  });
  const watch = new HealthWatch({ ...services, engine });
  await watch.check();
  expect(await summaries()).toEqual([
    'The clock of the counter store is 3.5 s behind the one of an instance of Sluice.',
  ]);
  clockSkew = 100;
  clock.advance(MINUTE);
  await watch.check();
  expect(await told()).toEqual(['clock.skew', 'clock.skew.resolved']);
});

it('what is old is forgotten, but not what is open', async () => {
  const { services, clock } = here;
  await call(services, createWebhook, { body: { name: 'a', url: 'https://hooks.example.com/' } });
  const id = await key('Reports');
  await use(services, id, 800);
  await markQuotaThresholds(services);
  await services.database.drizzle.update(deliveries).set({ state: 'delivered' });
  clock.advance(100 * DAY);
  await removeOutdatedAlerts(services.database, clock.now);
  expect([await services.database.drizzle.$count(deliveries), (await told()).length]).toEqual([0, 1]);
  await resolveThresholds(services);
  await removeOutdatedAlerts(services.database, clock.now);
  expect([await services.database.drizzle.$count(alerts), (await told()).length]).toEqual([0, 1]);
});
