import { describe, expect, it } from 'vitest';
import { watchBursts } from '@/lib/admin/alerts/bursts';
import { listAlerts } from '@/lib/admin/alerts/list';
import { putAlertSettings } from '@/lib/admin/alerts/settings';
import { setCandidate } from '@/lib/admin/candidates/set';
import { countDecisions } from '@/lib/admin/decisions/count';
import { createApiKey } from '@/lib/admin/keys/create';
import { createLimit } from '@/lib/admin/named-limits/create';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { readStatistics } from '@/lib/admin/statistics/read';
import { readMetrics } from '@/lib/admin/statistics/read-metrics';
import type { CountedDecisions } from '@/lib/contract/decisions';
import type { Statistics } from '@/lib/contract/statistics';
import { call } from '@/tests/fixtures/call';
import { sendDecisionCall } from '@/tests/fixtures/decision-call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const check = (limits: object[], more: object = {}) => sendDecisionCall('/v1/check', { limits, ...more });
const settle = (id: unknown, costs: object) => sendDecisionCall('/v1/settle', { id, costs });
const create = async (limit: object) =>
  expect((await call(here.services, createLimit, { body: limit })).status).toBe(201);

const TOKENS = {
  name: 'tokens',
  unit: 'tokens',
  windows: [
    { limit: 1_000, seconds: 60 },
    { limit: 5_000, seconds: 3_600 },
  ],
};
const SMS = { name: 'sms', windows: [{ limit: 2, seconds: 60 }] };
const NONE = {
  ...{ allowed: 0, refused: 0, degraded: 0, observed: 0, units: 0, refused_units: 0 },
  ...{ reserved: 0, settled: 0, settled_used: 0 },
};

async function readCounts(query: Record<string, string> = {}): Promise<Statistics> {
  await here.services.statistics.flushAll();
  here.clock.advance(30_000);
  return (await call(here.services, readStatistics, { query })).json;
}
const countLogged = async (query: Record<string, string>): Promise<CountedDecisions> =>
  (await call(here.services, countDecisions, { query })).json;

/** Two limits with reserved, settled and refused units, and refusals by the limit of an address. */
async function sendTraffic(): Promise<void> {
  await create(TOKENS);
  await create(SMS);
  // The counters of a candidate do not count again.
  const candidate = { place: 'limits.tokens', windows: [{ limit: 900, seconds: 60 }], reason: 'Is 900 enough?' };
  expect((await call(here.services, setCandidate, { body: candidate })).status).toBe(200);
  const reserved = await check([{ name: 'tokens', subject: 'a', cost: 600 }], { settle: true });
  await check([{ name: 'tokens', subject: 'a', cost: 100 }]);
  await check([{ name: 'tokens', subject: 'a', cost: 700 }]);
  await settle(reserved.json.id, { tokens: 450 });
  const sms = [{ name: 'sms', subject: '+4670' }];
  for (let index = 0; index < 5; index += 1) await check(sms, { class: 'read', ip: '203.0.113.9' });
  const auth = { class: 'auth', ip: '203.0.113.8' };
  for (let index = 0; index < 12; index += 1) await sendDecisionCall('/v1/check', auth);
}

describe('statistics of named limits', () => {
  it('count decisions and units by limit: allowed, refused, reserved, and settled once for all windows', async () => {
    await sendTraffic();
    const { totals, points } = await readCounts();
    expect(totals.limits).toEqual({
      sms: { ...NONE, allowed: 2, refused: 3, units: 2, refused_units: 3 },
      tokens: {
        ...{ ...NONE, allowed: 2, refused: 1, units: 700, refused_units: 700 },
        ...{ reserved: 600, settled: 600, settled_used: 450 },
      },
    });
    const [point] = points.filter(({ limits }) => limits.sms !== undefined);
    expect(point?.limits).toEqual(totals.limits);
    expect((await readCounts({ limit_name: 'sms' })).totals.limits).toEqual({ sms: totals.limits.sms });
  });

  it('tell refusals of named limits from those of addresses, and agree with the log under each filter', async () => {
    await sendTraffic();
    const { totals } = await readCounts();
    expect(totals).toMatchObject({ refused: 6, limit_refusals: 4, reasons: { rate_limit_exceeded: 6 } });
    const all = await countLogged({ outcome: 'refused' });
    expect(all).toMatchObject({ source: 'statistics', totals: { total: 6, limit_refusals: 4 }, log: { decisions: 6 } });
    const filters: [Record<string, string>, number][] = [
      [{ limit_name: 'sms' }, 3],
      [{ limit_name: 'sms', class: 'read' }, 3],
      [{ limit_name: 'sms', class: 'auth' }, 0],
      [{ subject: 'limit' }, 4],
      [{ subject: 'ip', outcome: 'refused' }, 2],
      [{ subject: 'ip', outcome: 'refused', class: 'auth', reason: 'rate_limit_exceeded' }, 2],
      [{ limit_name: 'tokens', outcome: 'bypassed' }, 0],
      [{ limit_name: 'tokens', reason: 'quota_exceeded' }, 0],
    ];
    for (const [query, total] of filters) {
      const counted = await countLogged(query);
      expect(counted, JSON.stringify(query)).toMatchObject({
        ...{ source: 'statistics', totals: { total }, log: { decisions: total, unattributed: 0 } },
      });
    }
    expect(await countLogged({ limit_name: 'sms', path: '/x' })).toMatchObject({ source: 'log' });
  });

  it('name the subjects that named limits refused most', async () => {
    await sendTraffic();
    const { top_refused: top } = await readCounts();
    expect(top).toEqual([
      { type: 'limit', identifier: '+4670', limit_name: 'sms', refused: 3, api_key_name: null, classes: { read: 3 } },
      { type: 'ip', identifier: '203.0.113.8', limit_name: null, refused: 2, api_key_name: null, classes: { auth: 2 } },
      { type: 'limit', identifier: 'a', limit_name: 'tokens', refused: 1, api_key_name: null, classes: {} },
    ]);
  });

  it('are metrics with the name of a limit that exists, and without its subjects', async () => {
    await sendTraffic();
    const lines = async () => (await call(here.services, readMetrics, {})).text.split('\n');
    const before = await lines();
    expect(before).toContain('sluice_limit_decisions_total{limit="sms",outcome="refused"} 3');
    expect(before).toContain('sluice_limit_units_total{limit="tokens",kind="counted"} 700');
    expect(before).toContain('sluice_limit_units_total{limit="tokens",kind="settled_used"} 450');
    expect(before.join()).not.toContain('+4670');
    await call(here.services, removeLimit, { params: { name: 'sms' } });
    expect((await lines()).join()).not.toContain('limit="sms"');
  });
});

describe('an alert about refusals of a named limit', () => {
  it('names the limit and the subject, and an API key by its name', async () => {
    await create(SMS);
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Partner feed', tier: 'free' } });
    await call(here.services, putAlertSettings, { body: { refusals_burst: { refusals: 3, minutes: 5 } } });
    for (let index = 0; index < 6; index += 1) {
      await check([{ name: 'sms', subject: '+46|70' }]);
      await check([{ name: 'sms', subject: key.id }], { class: 'read', ip: '203.0.113.9' });
    }
    await here.services.statistics.flushAll();
    await watchBursts(here.services);
    const { json: alerts } = await call(here.services, listAlerts);
    expect(alerts).toHaveLength(2);
    expect(alerts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          summary: '+46|70 was refused 4 times by the limit sms within 5 minutes.',
          link: '/decisions?outcome=refused&limit_name=sms&limit_subject=%2B46%7C70',
          object: { id: 'limit:sms|+46|70', type: 'limit', name: 'sms, +46|70' },
          details: expect.objectContaining({ type: 'limit', identifier: '+46|70', limit_name: 'sms' }),
        }),
        expect.objectContaining({
          summary: 'Partner feed was refused 4 times by the limit sms within 5 minutes.',
          object: { id: `limit:sms|${key.id}`, type: 'limit', name: 'sms, Partner feed' },
        }),
      ]),
    );
    here.clock.advance(30_000);
    const [{ link }] = alerts;
    const query = Object.fromEntries(new URL(link, 'http://localhost').searchParams);
    const { limit_subject: identifier = '', ...filters } = query;
    expect(await countLogged({ ...filters, type: 'subject', identifier })).toMatchObject({ totals: { total: 4 } });
  });
});
