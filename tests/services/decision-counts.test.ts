import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDecisions } from '@/lib/admin/decisions/count';
import { listDecisions } from '@/lib/admin/decisions/list';
import { listCallers } from '@/lib/admin/decisions/list-callers';
import { readStatistics } from '@/lib/admin/statistics/read';
import type { Caller } from '@/lib/contract/callers';
import type { CountedDecisions, LoggedDecision } from '@/lib/contract/decisions';
import { KEPT_PER_IDENTIFIER, KEPT_PER_SECOND } from '@/lib/statistics/notable-decisions';
import { MINUTE } from '@/lib/units';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { decisionEvent, refusalEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

type Query = Record<string, string>;

const counts = async (query: Query = {}): Promise<CountedDecisions> => {
  const answer = await call(here.services, countDecisions, { query });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};
const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);

const SPAN = { from: '2026-11-20T12:00:00Z', to: '2026-11-20T12:10:00Z' };
const CLASSES = ['auth', 'read'] as const;
const CALLERS = ['203.0.113.1', '203.0.113.2', '198.51.100.3'];
const PATHS = ['/a', '/b'];

/** A burst of equal decisions within one second. */
const burst = fc.record({
  second: fc.nat(300),
  caller: fc.constantFrom(...CALLERS),
  class: fc.constantFrom(...CLASSES),
  outcome: fc.constantFrom('refused', 'bypassed', 'observed'),
  path: fc.constantFrom(...PATHS),
  hits: fc.integer({ min: 1, max: 60 }),
  limit: fc.constantFrom(null, null, 'sms', 'tokens'),
});

/** The part of a decision that says which named limit refused a caller. */
const byLimit = (name: string, subject: string) =>
  ({
    ...{ subjectType: 'limit', identifier: subject, limitName: name, source: 'limit' },
    limitUses: [{ name, subject, units: 1, percent: 100 }],
  }) as const;

describe('every count of decisions', () => {
  it('is the sum of the rows that it counts, under each filter and in a flood', async () => {
    const bursts = fc.sample(fc.array(burst, { minLength: 40, maxLength: 40 }), { seed: 33, numRuns: 1 })[0] ?? [];
    for (const { second, caller, hits, outcome, limit, ...change } of bursts) {
      const isOfLimit = limit !== null && outcome !== 'bypassed';
      for (let hit = 0; hit < hits; hit += 1) {
        const at = TEST_START + second * 1_000 + hit;
        const reason = outcome === 'bypassed' ? null : 'rate_limit_exceeded';
        const who = isOfLimit ? byLimit(limit, caller) : {};
        here.services.statistics.record(refusalEvent(at, caller, { ...change, ...who, outcome, reason }));
      }
    }
    await here.services.statistics.flushAll();
    const filters: [Query, (one: (typeof bursts)[number]) => boolean][] = [
      [{}, () => true],
      [{ class: 'auth' }, (one) => one.class === 'auth'],
      [{ outcome: 'refused' }, (one) => one.outcome === 'refused'],
      [{ reason: 'rate_limit_exceeded' }, (one) => one.outcome !== 'bypassed'],
      [{ ip: CALLERS[0]! }, (one) => one.caller === CALLERS[0]],
      [{ ip: '203.0.113.0/24', outcome: 'bypassed' }, (one) => one.caller !== CALLERS[2] && one.outcome === 'bypassed'],
      [{ identifier: CALLERS[1]!, class: 'read' }, (one) => one.caller === CALLERS[1] && one.class === 'read'],
      [{ path: '/b' }, (one) => one.path === '/b'],
      [{ limit_name: 'sms' }, (one) => one.limit === 'sms' && one.outcome !== 'bypassed'],
      [
        { limit_name: 'tokens', outcome: 'refused', class: 'auth' },
        (one) => one.limit === 'tokens' && one.outcome === 'refused' && one.class === 'auth',
      ],
      [{ subject: 'limit' }, (one) => one.limit !== null && one.outcome !== 'bypassed'],
      [{ subject: 'ip', outcome: 'refused' }, (one) => one.limit === null && one.outcome === 'refused'],
      [{ q: '100.3' }, (one) => one.caller === CALLERS[2]],
    ];
    for (const [filter, matches] of filters) {
      const query = { ...filter, ...SPAN };
      const expected = bursts.filter(matches).reduce((total, { hits }) => total + hits, 0);
      const { totals, points, log } = await counts({ ...query, step: '60' });
      expect(totals.total, JSON.stringify(filter)).toBe(expected);
      const ofPoints = points.map(
        ({ refused, bypassed, degraded, observed }) => refused + bypassed + degraded + observed,
      );
      expect(ofPoints.reduce((total, count) => total + count, 0)).toBe(expected);
      expect(log.decisions).toBe(expected);
      const rows: LoggedDecision[] = (await call(here.services, listDecisions, { query: { ...query, limit: '1000' } }))
        .json;
      expect([rows.length, sum(rows)]).toEqual([log.rows, expected]);
      const callers: Caller[] = (await call(here.services, listCallers, { query })).json;
      expect(sum(callers)).toBe(expected);
      const busiest = points.reduce((most, point) => (point.refused > most.refused ? point : most));
      const minute = { from: busiest.start, to: new Date(Date.parse(busiest.start) + MINUTE).toISOString() };
      const inBar = await call(here.services, listDecisions, { query: { ...query, ...minute, limit: '1000' } });
      expect(sum(inBar.json.filter((row: LoggedDecision) => row.outcome === 'refused'))).toBe(busiest.refused);
    }
    const { json } = await call(here.services, readStatistics, { query: SPAN });
    const { totals } = await counts(SPAN);
    expect(json.totals).toMatchObject(Object.fromEntries(Object.entries(totals).filter(([name]) => name !== 'total')));
  });

  it('comes from the statistics if they can answer, else from the log', async () => {
    here.services.statistics.record(refusalEvent(TEST_START, '203.0.113.9'));
    await here.services.statistics.flush();
    for (const query of [{}, { class: 'read' }, { outcome: 'refused', reason: 'rate_limit_exceeded' }] as Query[])
      expect((await counts(query)).source).toBe('statistics');
    for (const query of [{ ip: '203.0.113.9' }, { q: 'x' }, { from: '2026-11-20T11:59:59Z' }] as Query[])
      expect((await counts(query)).source, JSON.stringify(query)).toBe('log');
    expect((await counts({ from: '2026-11-20T12:00:00.001Z', to: '2026-11-20T12:05:00Z' })).totals.total).toBe(0);
  });

  it('reports how many decisions of a flood may match as well', async () => {
    const many = 400;
    for (let caller = 0; caller < many; caller += 1)
      here.services.statistics.record(refusalEvent(TEST_START, `198.51.${caller >> 8}.${caller & 255}`));
    here.services.statistics.record(
      decisionEvent(TEST_START, { outcome: 'bypassed', subjectType: 'ip', identifier: '203.0.113.9' }),
    );
    await here.services.statistics.flushAll();
    const ofOne = await counts({ ip: '198.51.0.7', ...SPAN });
    expect(ofOne).toMatchObject({ totals: { total: 1 }, log: { rows: 1 } });
    expect(ofOne.log.unattributed).toBe(many - KEPT_PER_SECOND + 1);
    expect((await counts({ outcome: 'refused', ip: '198.51.0.7', ...SPAN })).log.unattributed).toBe(
      many - KEPT_PER_SECOND,
    );
    const callers: Caller[] = (
      await call(here.services, listCallers, { query: { ...SPAN, outcome: 'refused', limit: '1000' } })
    ).json;
    expect(callers[0]).toMatchObject({ subject: 'ip', identifier: null, count: many - KEPT_PER_SECOND });
    expect(sum(callers)).toBe(many);
  });

  it('is of a caller who was refused thirty times in a second, in ten rows', async () => {
    for (let hit = 0; hit < 30; hit += 1)
      here.services.statistics.record(refusalEvent(TEST_START, '203.0.113.9', { path: `/item/${hit}` }));
    await here.services.statistics.flush();
    const { totals, log } = await counts({ ip: '203.0.113.9', ...SPAN });
    expect({ total: totals.total, rows: log.rows }).toEqual({ total: 30, rows: KEPT_PER_IDENTIFIER });
    const { json } = await call(here.services, listDecisions, { query: { ip: '203.0.113.9' } });
    expect(json[0]).toMatchObject({ count: 21, path: null, ip: '203.0.113.9', method: 'GET' });
    expect(json[1]).toMatchObject({ count: 1, path: '/item/8' });
    expect(await counts({ path: '/item/20', ...SPAN })).toMatchObject({
      totals: { total: 0 },
      log: { unattributed: 21 },
    });
  });

  it('refuses malformed filters like the list', async () => {
    const wrong = [{ ip: 'x' }, { type: 'ip' }, { step: '90' }, { limit: '5' }, { outcome: 'allowed' }] as Query[];
    for (const query of wrong) expectInvalid(await call(here.services, countDecisions, { query }));
  });
});
