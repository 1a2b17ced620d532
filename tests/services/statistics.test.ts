import { describe, expect, it } from 'vitest';
import { createApiKey } from '@/lib/admin/keys/create';
import { forecastQuotas } from '@/lib/admin/keys/forecast-quotas';
import { readStatistics } from '@/lib/admin/statistics/read';
import { readKeyStatistics } from '@/lib/admin/statistics/read-key';
import { readMetrics } from '@/lib/admin/statistics/read-metrics';
import { readOverview } from '@/lib/admin/statistics/read-overview';
import { DAY, HOUR, MINUTE } from '@/lib/units';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { decisionEvent, refusalEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';
import { statementsOf } from '@/tests/fixtures/statements';

servicesSuite();

const read = (query: Record<string, string> = {}) => call(here.services, readStatistics, { query });

describe('statistics', () => {
  it('are the last hour by minute, by class, outcome and reason, minutes without a decision included', async () => {
    const { statistics } = here.services;
    statistics.record(decisionEvent(TEST_START - MINUTE));
    statistics.record(decisionEvent(TEST_START, { class: 'write' }));
    statistics.record(refusalEvent(TEST_START, '203.0.113.9', { class: 'auth' }));
    statistics.record(refusalEvent(TEST_START, '203.0.113.9'));
    statistics.record(refusalEvent(TEST_START, 'alice', { subjectType: 'user', reason: 'user_rate_limit_exceeded' }));
    await statistics.flush();
    here.clock.advance(30_000);
    const { status, json } = await read();
    expect(status).toBe(200);
    expect(json).toMatchObject({ from: '2026-11-20T11:01:00.000Z', to: '2026-11-20T12:01:00.000Z', step: 60 });
    expect(json.points).toHaveLength(60);
    expect(json.points[0]).toMatchObject({ start: '2026-11-20T11:01:00.000Z', allowed: 0, refused: 0, reasons: {} });
    expect(json.points[58]).toMatchObject({ start: '2026-11-20T11:59:00.000Z', allowed: 1 });
    expect(json.points[59]).toEqual({
      start: '2026-11-20T12:00:00.000Z',
      allowed: 1,
      refused: 3,
      bypassed: 0,
      degraded: 0,
      observed: 0,
      classes: {
        auth: { allowed: 0, refused: 1, bypassed: 0, degraded: 0, observed: 0 },
        sensitive: { allowed: 0, refused: 0, bypassed: 0, degraded: 0, observed: 0 },
        lab: { allowed: 0, refused: 0, bypassed: 0, degraded: 0, observed: 0 },
        read: { allowed: 0, refused: 2, bypassed: 0, degraded: 0, observed: 0 },
        write: { allowed: 1, refused: 0, bypassed: 0, degraded: 0, observed: 0 },
      },
      reasons: { rate_limit_exceeded: 2, user_rate_limit_exceeded: 1 },
      limit_refusals: 0,
      limits: {},
    });
    expect(json.totals).toMatchObject({ allowed: 2, refused: 3 });
    expect(json.top_refused).toEqual([
      {
        type: 'ip',
        identifier: '203.0.113.9',
        refused: 2,
        api_key_name: null,
        limit_name: null,
        classes: { auth: 1, read: 1 },
      },
      { type: 'user', identifier: 'alice', refused: 1, api_key_name: null, limit_name: null, classes: { read: 1 } },
    ]);
  });

  it('say the same by minute, quarter of an hour, hour, six hours and day', async () => {
    const { statistics } = here.services;
    for (let n = 0; n < 300; n += 1) {
      statistics.record(
        n % 3 === 0
          ? refusalEvent(TEST_START - n * 5 * MINUTE, '203.0.113.9')
          : decisionEvent(TEST_START - n * 5 * MINUTE),
      );
      if (n % 50 === 0) await statistics.flush();
    }
    await statistics.stop();
    const span = { from: '2026-11-19T00:00:00Z', to: '2026-11-21T00:00:00Z' };
    for (const step of ['120', '900', '3600', '21600', '86400']) {
      const { json } = await read({ ...span, step });
      expect(json.points).toHaveLength((2 * 86_400) / Number(step));
      expect(json.totals).toMatchObject({ allowed: 200, refused: 100, reasons: { rate_limit_exceeded: 100 } });
      expect(json.top_refused).toEqual([
        {
          type: 'ip',
          identifier: '203.0.113.9',
          refused: 100,
          api_key_name: null,
          limit_name: null,
          classes: { read: 100 },
        },
      ]);
    }
  });

  it('choose a step that a chart can show', async () => {
    const steps = async (from: string) => (await read({ from, to: '2026-11-20T12:00:00Z' })).json.step;
    expect(await steps('2026-11-20T11:00:00Z')).toBe(60);
    expect(await steps('2026-11-19T12:00:00Z')).toBe(900);
    expect(await steps('2026-10-21T12:00:00Z')).toBe(21_600);
    expect(await steps('2025-11-20T12:00:00Z')).toBe(604_800);
  });

  it.each<Record<string, string>>([
    { step: '61' },
    { step: '0' },
    { step: '-60' },
    { step: '1e3' },
    { from: '2026-11-20T12:00:00Z', to: '2026-11-20T12:00:00Z' },
    { from: '2026-11-21T12:00:00Z' },
    { from: '2026-11-01T00:00:00Z', step: '60' },
    { from: '0001-01-01T00:00:00Z' },
    { top: '101' },
    { other: '1' },
  ])('refuse %o', async (query) => expectInvalid(await read(query)));

  it('of a year are four statements that visit only the rows of the span', async () => {
    const handle = here.services.database.handle!;
    const today = TEST_START - (TEST_START % DAY);
    for (const step of [60, 3_600, 86_400]) {
      handle.exec(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 730)
         insert into rollups select ${step}, ${today} - i * ${step * 1_000}, 'read', 'refused', 'rate_limit_exceeded', 100 + i from n`,
      );
    }
    handle.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 365)
       insert into refused_identifiers select 86400, ${today} - i * ${DAY}, 'ip', '198.51.100.1', 'read', i from n`,
    );
    handle.exec('analyze');
    const queries: Record<string, string>[] = [
      {},
      { from: '2026-11-19T12:00:00Z' },
      { from: '2026-10-21T12:00:00Z' },
      { from: '2025-11-21T00:00:00Z' },
      { from: '2025-11-21T00:00:00Z', step: '86400', top: '100' },
    ];
    for (const query of queries) {
      const statements = await statementsOf(here.services.database, async () =>
        expect((await read(query)).status).toBe(200),
      );
      const counted = statements.filter(({ sql }) => /from (rollups|limit_counts|refused_identifiers)/.test(sql));
      expect(counted).toHaveLength(4);
      for (const step of counted.flatMap(({ plan }) => plan)) {
        if (!/rollups|limit_counts|refused_identifiers/.test(step)) continue;
        expect(step).toMatch(
          /^SEARCH (rollups|limit_counts|refused_identifiers) USING .*\(step=\? AND start>\? AND start<\?\)/,
        );
      }
      expect(counted.every(({ plan }) => plan.some((step) => step.startsWith('SEARCH')))).toBe(true);
      // At most a row for each point of the chart, and for each identifier of the list.
      for (const { rows } of counted) expect(rows).toBeLessThanOrEqual(365);
    }
  });
});

describe('one key', () => {
  async function keyWith(tier = 'free'): Promise<string> {
    const { json } = await call(here.services, createApiKey, { body: { name: `a ${tier} key`, tier } });
    return json.id;
  }

  /** Uses the key as the engine would, and lets the recorder know. */
  async function use(id: string, times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      await here.services.engine.decide({
        method: 'GET',
        path: '/x',
        address: undefined,
        apiKeyId: id,
        cost: 25,
        requestId: null,
      });
      here.clock.advance(MINUTE);
    }
    await here.services.statistics.flush();
  }

  it('has a chart of its days, also of those without a request', async () => {
    const id = await keyWith();
    await use(id, 2);
    here.clock.advance(2 * DAY);
    await use(id, 1);
    const { json } = await call(here.services, readKeyStatistics, {
      params: { id: id.toUpperCase() },
      query: { days: '4' },
    });
    expect(json).toEqual({
      api_key_id: id,
      days: [
        { day: '2026-11-19', allowed: 0, refused: 0 },
        { day: '2026-11-20', allowed: 50, refused: 0 },
        { day: '2026-11-21', allowed: 0, refused: 0 },
        { day: '2026-11-22', allowed: 25, refused: 0 },
      ],
    });
    expect((await call(here.services, readKeyStatistics, { params: { id } })).json.days).toHaveLength(30);
  });

  it('must exist', async () => {
    expect((await call(here.services, readKeyStatistics, { params: { id: 'x' } })).status).toBe(400);
    const unknown = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';
    expect((await call(here.services, readKeyStatistics, { params: { id: unknown } })).status).toBe(404);
    expect(
      (await call(here.services, readKeyStatistics, { params: { id: unknown }, query: { days: '0' } })).status,
    ).toBe(400);
  });

  it('above 80 % is forecast; below it is not', async () => {
    const near = await keyWith();
    const far = await keyWith('starter');
    for (let day = 0; day < 4; day += 1) {
      await use(near, 8);
      await use(far, 1);
      here.clock.now = TEST_START + (day + 1) * DAY;
    }
    const { status, json } = await call(here.services, forecastQuotas);
    expect(status).toBe(200);
    expect(json).toHaveLength(1);
    expect(json[0]).toMatchObject({
      api_key_id: near,
      tier: 'free',
      usage: 800,
      limit: 1_000,
      remaining: 200,
      used_percent: 80,
      per_day: 200,
      days_observed: 4,
      interval_known: true,
      exhausted: false,
      runs_out_at: '2026-11-25T12:00:00.000Z',
      earliest: '2026-11-25T12:00:00.000Z',
      latest: '2026-11-25T12:00:00.000Z',
      resets_at: '2026-12-01T00:00:00.000Z',
    });
    expect((await call(here.services, forecastQuotas, { query: { threshold: '0' } })).json).toHaveLength(2);
    expect((await call(here.services, forecastQuotas, { query: { threshold: '90' } })).json).toEqual([]);
    expect((await call(here.services, forecastQuotas, { query: { threshold: '101' } })).status).toBe(400);
  });
});

describe('the overview', () => {
  it('says what is well and what is not', async () => {
    here.services.statistics.record(refusalEvent(TEST_START - MINUTE, '203.0.113.9'));
    await here.services.statistics.flush();
    const { status, json } = await call(here.services, readOverview);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      at: '2026-11-20T12:00:00.000Z',
      health: {
        database: { ok: true, kind: 'embedded' },
        migrations: { ok: true },
        counter_store: { ok: true, kind: 'embedded', clock_skew_ms: expect.any(Number) },
        breaker: { state: 'closed' },
        statistics: { ok: true, failures: 0 },
      },
      last_minute: { allowed: 0, refused: 1, bypassed: 0, degraded: 0, observed: 0 },
      allowlisted: 0,
      api_keys: 0,
    });
  });
});

describe('metrics', () => {
  it('are Prometheus text, for tokens of any role', async () => {
    here.services.statistics.record(refusalEvent(TEST_START, '203.0.113.9'));
    const answer = await call(here.services, readMetrics);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.text).toContain(
      'sluice_decisions_total{class="read",outcome="refused",reason="rate_limit_exceeded"} 1\n',
    );
    expect(answer.text).toContain('sluice_breaker_state{state="closed"} 1\n');
    expect(answer.text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(answer.text).toMatch(/^process_resident_memory_bytes /m);
    expect(answer.text).toMatch(/^sluice_decision_seconds_bucket\{le="0.001"\} /m);
    expect((await call(here.services, readMetrics, { headers: { Authorization: '' } })).status).toBe(401);
  });

  it('count on', async () => {
    const value = async () =>
      Number(/outcome="allowed",reason=""\} (\d+)/.exec((await call(here.services, readMetrics)).text)?.[1] ?? 0);
    here.services.statistics.record(decisionEvent(TEST_START));
    expect(await value()).toBe(1);
    here.clock.advance(HOUR);
    here.services.statistics.record(decisionEvent(here.clock.now));
    await here.services.statistics.flush();
    expect(await value()).toBe(2);
  });
});
