import { describe, expect, it } from 'vitest';
import { alerts } from '@/drizzle/alerts-schema';
import { acknowledgeAlerts, reopenAlerts } from '@/lib/admin/alerts/acknowledge';
import { watchBypassShare } from '@/lib/admin/alerts/bypass-share';
import { watchExceptions } from '@/lib/admin/alerts/exceptions';
import { listAlerts } from '@/lib/admin/alerts/list';
import { putAlertSettings } from '@/lib/admin/alerts/settings';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAudit } from '@/lib/admin/audit-log/list';
import { addGrant } from '@/lib/admin/grants/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { createLimit } from '@/lib/admin/named-limits/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { undoChange } from '@/lib/admin/undo/undo';
import type { Alert } from '@/lib/contract/alerts';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const HOUR = 3_600_000;
const later = (time: number) => new Date(here.clock.now + time).toISOString();
let ids = 0;
async function open(event: string, subject: string, details = {}) {
  ids += 1;
  const data = JSON.stringify({ summary: `About ${subject}.`, link: '/keys', ...details });
  const row = { id: `018f14e4-ceea-767f-a0e6-${String(ids).padStart(12, '0')}`, event, subject, data };
  const times = { openedAt: here.clock.now, seenAt: here.clock.now };
  await here.services.database.drizzle.insert(alerts).values({ ...row, ...times, period: String(ids) });
}
const list = async (query: Record<string, string> = {}): Promise<Alert[]> =>
  (await call(here.services, listAlerts, { query })).json;
const needing = async () => (await list({ acknowledged: 'no' })).map(({ subject }) => subject).sort();
const acknowledge = (object: string, until: string | null = null) =>
  call(here.services, acknowledgeAlerts, { body: { object, until } });
const undo = (headers: Headers) =>
  call(here.services, undoChange, { params: { seq: headers.get('x-audit-seq') ?? '' } });

describe('alerts of one object', () => {
  it('have one name, whatever their subjects are, and are acknowledged together, until another one opens', async () => {
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Partner feed', tier: 'free' } });
    await open('quota.threshold', `api_key:${key.id}`);
    await open('refusals.burst', `quota:${key.id}`);
    await open('refusals.burst', 'client:mobile-app');
    await open('refusals.burst', 'ip:2001:db8::1');
    const object = { id: `api_key:${key.id}`, type: 'api_key', name: 'Partner feed' };
    expect((await list()).filter((alert) => alert.object.id === object.id).map((alert) => alert.object)).toEqual([
      object,
      object,
    ]);
    expect((await list({ q: '2001' }))[0]?.object).toEqual({ id: 'ip:2001:db8::1', type: 'ip', name: '2001:db8::1' });
    const done = await acknowledge(object.id);
    expect(done.json).toMatchObject({ name: 'Partner feed', alerts: 2, snoozed_until: null });
    expect(await needing()).toEqual(['client:mobile-app', 'ip:2001:db8::1']);
    expect((await list({ acknowledged: 'yes' }))[0]).toMatchObject({
      acknowledged_by: 'bootstrap',
      snoozed_until: null,
    });
    const [record] = (await call(here.services, listAudit, { query: { limit: '1' } })).json;
    expect(record).toMatchObject({ action: 'alert.acknowledge', target: object.id, after: { name: 'Partner feed' } });
    await open('quota.forecast', `api_key:${key.id}`);
    expect(await needing()).toContain(`api_key:${key.id}`);
  });

  it('about exemptions that end name whom these are for', async () => {
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Partner feed', tier: 'free' } });
    await call(here.services, createLimit, {
      body: { name: 'sms', unit: 'codes', windows: [{ limit: 5, seconds: 3_600 }] },
    });
    const expires_at = later(30 * HOUR);
    const reason = 'A release';
    await call(here.services, addAllowlistEntry, { body: { type: 'user_id', identifier: 'ana', reason, expires_at } });
    for (const body of [
      { type: 'ip', identifier: '203.0.113.0/24', class: 'read', limit: 5, window_seconds: 60 },
      { type: 'subject', identifier: '+46 70', limit_name: 'sms', windows: [{ limit: 9, seconds: 3_600 }] },
    ])
      expect((await call(here.services, putOverride, { body: { ...body, reason, expires_at } })).status).toBeLessThan(
        300,
      );
    await call(here.services, addGrant, { body: { api_key: key.id, requests: 500, until: expires_at, reason } });
    here.clock.advance(20 * HOUR);
    await watchExceptions(here.services);
    const named = (await list()).map(({ object, summary }) => [object.name, summary.split(' ends on ')[0]]).sort();
    expect(named).toEqual([
      ['+46 70', 'The override of +46 70 in sms'],
      ['203.0.113.0/24', 'The override of 203.0.113.0/24 in read'],
      ['Partner feed', 'The grant of 500 requests to the key Partner feed'],
      ['ana', 'The allowlist entry of ana'],
    ]);
  });

  it('come back at the end of a snooze, and by an undo or a reopening', async () => {
    await open('refusals.burst', 'ip:203.0.113.7');
    const snoozed = await acknowledge('ip:203.0.113.7', later(HOUR));
    expect(snoozed.json).toMatchObject({ acknowledged_at: null, snoozed_until: later(HOUR) });
    expect(await needing()).toEqual([]);
    here.clock.advance(HOUR);
    expect(await needing()).toEqual(['ip:203.0.113.7']);
    expect((await list())[0]?.snoozed_until).toBeNull();
    const acknowledged = await acknowledge('ip:203.0.113.7');
    expect(await needing()).toEqual([]);
    expect((await undo(acknowledged.headers)).json.restored).toBe(
      'The earlier state of the alerts of 203.0.113.7 is restored.',
    );
    expect(await needing()).toEqual(['ip:203.0.113.7']);
    await acknowledge('ip:203.0.113.7');
    expect((await call(here.services, reopenAlerts, { body: { object: 'ip:203.0.113.7' } })).status).toBe(204);
    expect(await needing()).toEqual(['ip:203.0.113.7']);
  });

  it('must exist, and a snooze must end in the future', async () => {
    expect((await acknowledge('ip:203.0.113.7')).status).toBe(404);
    await open('refusals.burst', 'ip:203.0.113.7');
    expect((await acknowledge('ip:203.0.113.7', later(-1))).json.details[0].path).toBe('until');
  });
});

describe('the share of bypasses', () => {
  const send = async (address: string, requests: number) => {
    for (let n = 0; n < requests; n += 1)
      await here.services.engine.decide({
        ...{ method: 'GET', path: '/api/orders', class: 'read', requestId: null },
        address: parseAddress(address),
      });
    await here.services.statistics.flush();
  };
  const watched = async () => {
    await watchBypassShare(here.services);
    return list({ event: 'bypass.share' });
  };

  it('opens an alert that names the entry, once, and is resolved when less of the traffic bypasses', async () => {
    const body = { type: 'ip', identifier: '203.0.113.0/24', reason: 'Office' };
    await call(here.services, addAllowlistEntry, { body });
    await send('203.0.113.7', 30);
    await send('198.51.100.1', 60);
    expect(await watched()).toEqual([]);
    await send('198.51.100.1', 20);
    const [alert] = await watched();
    expect(alert).toMatchObject({
      object: { id: 'bypasses', name: 'All traffic' },
      summary:
        '27% of the requests bypassed the limits within 10 minutes: 30 of 110, most by the allowlist entry 203.0.113.0/24.',
      link: '/allowlist?q=203.0.113.0%2F24',
    });
    expect(await watched()).toHaveLength(1);
    here.clock.advance(20 * 60_000);
    expect(await watched()).toEqual([]);
    const [resolved] = await list({ status: 'resolved' });
    expect(resolved?.resolution).toBe('Less of the traffic bypasses the limits now.');
  });

  it('is a setting', async () => {
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.7', reason: 'Probe' } });
    await send('203.0.113.7', 5);
    await send('198.51.100.1', 5);
    expect(await watched()).toEqual([]);
    const body = { bypass_share: { percent: 50, minutes: 5, requests: 10 } };
    await call(here.services, putAlertSettings, { body });
    expect(await watched()).toHaveLength(1);
    await call(here.services, putAlertSettings, { body: { bypass_share: { enabled: false } } });
    expect(await watched()).toEqual([]);
  });
});

it('lists the most urgent alert first, however old it is, page by page', async () => {
  await open('store.down', 'store');
  for (const percent of [80, 1_000, 100]) {
    here.clock.now += 1_500;
    await open('quota.threshold', `api_key:${percent}`, { threshold_percent: percent });
  }
  here.clock.now += 1_500;
  await open('quota.threshold', 'api_key:newer', { threshold_percent: 100 });
  await open('exception.ending', 'exception');
  await open('refusals.burst', 'ip:203.0.113.7');
  const query = { sort: '-urgency', limit: '2' };
  const subjects: string[] = [];
  for (let cursor: string | undefined; cursor !== undefined || subjects.length === 0; ) {
    const page = await call(here.services, listAlerts, { query: { ...query, ...(cursor ? { cursor } : {}) } });
    subjects.push(...page.json.map(({ subject }: Alert) => subject));
    cursor = /cursor=([\w-]+)/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(subjects).toEqual([
    ...['store', 'ip:203.0.113.7', 'api_key:1000', 'api_key:newer', 'api_key:100', 'api_key:80', 'exception'],
  ]);
});
