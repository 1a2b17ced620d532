import { beforeEach, describe, expect, test } from 'vitest';
import { listAlerts } from '@/lib/admin/alerts/list';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { listAudit } from '@/lib/admin/audit-log/list';
import { createApiKey } from '@/lib/admin/keys/create';
import { forecastQuotas } from '@/lib/admin/keys/forecast-quotas';
import { getApiKey } from '@/lib/admin/keys/get';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { listQuotas } from '@/lib/admin/keys/list-quotas';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { updateApiKey } from '@/lib/admin/keys/update';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { undoChange } from '@/lib/admin/undo/undo';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();
beforeEach(async () => {
  await call(here.services, patchPolicies, { body: { tiers: { free: 10 } } });
});

const at = (time: string) => {
  here.clock.now = Date.parse(time);
};

async function newKey(startsOn?: number): Promise<{ id: string; secret: string }> {
  const body = { name: 'Reports', tier: 'free', ...(startsOn === undefined ? {} : { month_starts_on: startsOn }) };
  return (await call(here.services, createApiKey, { body })).json;
}

const decide = (apiKey: string) =>
  here.services.engine.decide({ method: 'GET', path: '/', address: undefined, apiKey, requestId: null });

/** Requests with the key; answers how many were admitted. */
async function use(apiKey: string, times: number): Promise<number> {
  let admitted = 0;
  for (let n = 0; n < times; n += 1) if ((await decide(apiKey)).outcome !== 'refused') admitted += 1;
  await here.services.statistics.flush();
  return admitted;
}

const usage = async (id: string) => (await call(here.services, getQuota, { params: { api_key: id } })).json;
const move = (id: string, day: number) =>
  call(here.services, updateApiKey, { params: { id }, body: { month_starts_on: day } });

describe('a key whose month begins on a day of its own', () => {
  test('says so everywhere, and has a whole quota from that day, 00:00 UTC', async () => {
    at('2026-11-20T12:00:00Z');
    const { id, secret } = await newKey(15);
    expect(await use(secret, 12)).toBe(10);
    const refused = await decide(secret);
    const reset = '2026-12-15T00:00:00.000Z';
    expect(refused.quota?.reset).toBe(Date.parse(reset) / 1000);
    expect(refused.refusal?.retryAfter).toBe((Date.parse(reset) - here.clock.now) / 1000);
    expect(await usage(id)).toMatchObject({ usage: 10, remaining: 0, reset_at: reset });
    expect((await call(here.services, listQuotas)).json).toMatchObject([{ usage: 10, reset_at: reset }]);
    expect((await call(here.services, getApiKey, { params: { id } })).json).toMatchObject({
      ...{ month_starts_on: 15, usage: 10, reset_at: reset },
    });
    expect((await call(here.services, forecastQuotas, { query: { api_key: id } })).json).toMatchObject([
      { resets_at: reset, exhausted: true },
    ]);
    const asked = { body: { class: 'read', api_key_id: id } };
    const explained = (await call(here.services, explainDecision, asked)).json;
    expect(explained.quota).toMatchObject({ used: 10, refuses: true, reset: Date.parse(reset) / 1000 });
    at('2026-12-14T23:59:59.999Z');
    expect(await use(secret, 1)).toBe(0);
    at(reset);
    expect(await use(secret, 12)).toBe(10);
    expect(await usage(id)).toMatchObject({ usage: 10, reset_at: '2027-01-15T00:00:00.000Z' });
  });

  test('begins on the last day of a month that has fewer', async () => {
    at('2027-02-27T12:00:00Z');
    const { id, secret } = await newKey(31);
    await use(secret, 3);
    expect(await usage(id)).toMatchObject({ usage: 3, reset_at: '2027-02-28T00:00:00.000Z' });
    at('2027-02-28T00:00:00Z');
    expect(await usage(id)).toMatchObject({ usage: 0, reset_at: '2027-03-31T00:00:00.000Z' });
  });

  test('has its usage reset, and gets it back', async () => {
    at('2026-11-10T12:00:00Z');
    const { id, secret } = await newKey(28);
    await use(secret, 6);
    const answer = await call(here.services, resetQuota, { params: { api_key: id } });
    expect(await usage(id)).toMatchObject({ usage: 0 });
    await use(secret, 1);
    const seq = answer.headers.get('sluice-audit-seq') ?? (await newest()).seq;
    await call(here.services, undoChange, { params: { seq: String(seq) } });
    expect(await usage(id)).toMatchObject({ usage: 7 });
  });

  test.each([0, 32, 1.5, '15', null])('does not begin on %j', async (day) => {
    const body = { name: 'Reports', tier: 'free', month_starts_on: day };
    expect(await call(here.services, createApiKey, { body })).toMatchObject({
      ...{ status: 400, json: { error: 'invalid_request', details: [{ path: 'month_starts_on' }] } },
    });
  });
});

const newest = async () => (await call(here.services, listAudit)).json[0];

describe('moving the day of a key in use', () => {
  test.each([
    [15, '2026-12-15T00:00:00.000Z'],
    [28, '2026-11-28T00:00:00.000Z'],
    [31, '2026-11-30T00:00:00.000Z'],
  ])('to %i keeps what was used until %s, then a whole quota begins', async (day, reset) => {
    at('2026-11-23T12:00:00Z');
    const { id, secret } = await newKey();
    await use(secret, 9);
    expect((await move(id, day)).json).toMatchObject({ month_starts_on: day });
    expect(await usage(id)).toMatchObject({ usage: 9, reset_at: reset });
    here.clock.now = Date.parse(reset) - 1;
    expect(await use(secret, 3)).toBe(1);
    here.clock.now = Date.parse(reset);
    expect(await usage(id)).toMatchObject({ usage: 0 });
    expect(await use(secret, 11)).toBe(10);
  });

  test('and back leaves everything as it was, also by undo', async () => {
    at('2026-11-23T12:00:00Z');
    const { id, secret } = await newKey();
    await use(secret, 9);
    const before = await usage(id);
    await move(id, 28);
    await move(id, 1);
    expect(await usage(id)).toEqual(before);
    await move(id, 28);
    const { seq } = await newest();
    expect((await call(here.services, undoChange, { params: { seq: String(seq) } })).status).toBe(200);
    expect(await usage(id)).toEqual(before);
  });

  test('is refused where it was done too often', async () => {
    at('2026-11-01T12:00:00Z');
    const { id } = await newKey();
    const statuses = [];
    for (let day = 3; day <= 21; day += 2) {
      here.clock.now = Date.UTC(2026, 10, day - 1, 12);
      statuses.push((await move(id, day)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 409]);
  });

  test('marks and tells of each threshold once in the month that goes on', async () => {
    at('2026-11-23T12:00:00Z');
    const { id, secret } = await newKey();
    await use(secret, 8);
    expect(await markQuotaThresholds(here.services)).toBe(1);
    await move(id, 15);
    await use(secret, 1);
    expect(await markQuotaThresholds(here.services)).toBe(0);
    expect((await call(here.services, listAlerts)).json).toHaveLength(1);
    at('2026-12-15T00:00:00Z');
    await use(secret, 8);
    expect(await markQuotaThresholds(here.services)).toBe(1);
    const [alert] = (await call(here.services, listAlerts)).json;
    expect(JSON.stringify(alert)).toContain('the month until 15 January 2027');
  });
});
