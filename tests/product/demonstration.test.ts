import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemo } from '../../demo/start-demo.mjs';
import type { AuditRecord } from '../../lib/contract/audit-log';
import type { LoggedDecision } from '../../lib/contract/decisions';
import type { KeyOrigin } from '../../lib/contract/key-statistics';
import type { ApiKeyWithUsage } from '../../lib/contract/keys';
import type { LimitInUse } from '../../lib/contract/limit-use';
import type { Statistics } from '../../lib/contract/statistics';
import { freePort } from '../fixtures/free-port';
import { until } from '../fixtures/until';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (at: number) => new Date(at).toISOString();
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

interface Origins {
  from: string;
  addresses: KeyOrigin[];
  other_addresses: { allowed: number; refused: number };
}

let demo: Awaited<ReturnType<typeof startDemo>>;
let now: number;
beforeAll(async () => {
  demo = await startDemo({ port: await freePort(), live: false });
  now = Date.now();
});
afterAll(() => demo.stop());

async function read<Answer>(path: string, query: Record<string, string> = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${demo.token}` };
  const response = await fetch(`${demo.origin}${path}?${new URLSearchParams(query)}`, { headers });
  expect(response.status, path).toBe(200);
  return response.json() as Promise<Answer>;
}

type Days = readonly { day: string; allowed: number; refused: number }[];

const readDays = async (id: string) =>
  (await read<{ days: Days }>(`/v1/admin/statistics/keys/${id}`, { days: '31' })).days;
const sumMonth = (days: Days) =>
  sum(days.filter(({ day }) => day >= iso(now).slice(0, 7)).map(({ allowed }) => allowed));

describe('the data of the demonstration', () => {
  it('count for each caller at least as many refusals in a month as in a day, and in a day as in an hour', async () => {
    const spans = [HOUR, DAY, 30 * DAY].map((span) => ({
      span,
      step: { [HOUR]: '60', [DAY]: '1800' }[span] ?? '86400',
    }));
    let shorter = new Map<string, number>();
    for (const { span, step } of spans) {
      const query = { from: iso(now - span), to: iso(now), step, top: '100' };
      const { top_refused, totals } = await read<Statistics>('/v1/admin/statistics', query);
      const longer = new Map(
        top_refused.map(({ type, identifier, limit_name, refused }) => [
          `${type} ${limit_name} ${identifier}`,
          refused,
        ]),
      );
      for (const [caller, refused] of shorter) expect(longer.get(caller), caller).toBeGreaterThanOrEqual(refused);
      expect(sum([...longer.values()])).toBeLessThanOrEqual(totals.refused);
      shorter = longer;
    }
    expect(shorter.size).toBeGreaterThan(8);
  });

  it('agree about each key: month, days, origins, refusals, limit and last use', async () => {
    const keys = await read<ApiKeyWithUsage[]>('/v1/admin/api-keys', { limit: '100' });
    expect(keys.length).toBeGreaterThan(8);
    // The last requests of the demonstration reach the statistics with the next write.
    await until(async () => {
      const months = await Promise.all(keys.map(async ({ id }) => sumMonth(await readDays(id))));
      return keys.every(({ usage }, i) => (months[i] ?? 0) >= (usage ?? 0));
    });
    for (const key of keys) {
      const { id, name } = key;
      const resets = await read<AuditRecord[]>('/v1/admin/audit', { target: id, action: 'quota.reset' });
      const days = await readDays(id);
      const month = sumMonth(days);
      if (resets.length === 0) expect(key.usage, `month of ${name}`).toBe(month);
      else expect(key.usage, `month of ${name}`).toBeLessThanOrEqual(month);

      const origins = await read<Origins>(`/v1/admin/statistics/keys/${id}/origins`);
      const from = [...origins.addresses, origins.other_addresses];
      const lately = days.slice(-2);
      const allowed = sum(from.map((origin) => origin.allowed));
      expect(allowed, `allowed origins of ${name}`).toBeLessThanOrEqual(sum(lately.map((day) => day.allowed)));
      const refusals = await read<LoggedDecision[]>('/v1/admin/decisions', {
        ...{ api_key: id, outcome: 'refused', limit: '1000' },
        from: origins.from,
      });
      expect(sum(from.map((origin) => origin.refused)), `refused origins of ${name}`).toBe(refusals.length);
      const addresses = origins.addresses.map(({ origin }) => origin);
      for (const { ip } of refusals) expect(addresses, name).toContain(ip);

      const { limits } = await read<{ limits: LimitInUse[] }>('/v1/admin/statistics/limits', { api_key: id });
      const use = limits.find(({ place }) => place.startsWith('clients.'));
      expect(use?.units ?? 0, `limit of ${name}`).toBeLessThanOrEqual(allowed + refusals.length);
      if (allowed > 24 * 60) expect(use?.units, `limit of ${name}`).toBeGreaterThan(0);
      const [newest] = refusals;
      const last = Date.parse(key.last_used_at ?? '');
      if (newest !== undefined) expect(last, `last use of ${name}`).toBeGreaterThanOrEqual(Date.parse(newest.at));
      for (const reset of resets)
        if (key.usage === 0) expect(last, `last use of ${name}`).toBeLessThan(Date.parse(reset.at));
    }
  });
});
