import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decisions, keyDays, lastUses, refusedIdentifiers, rollups } from '@/drizzle/schema';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { KEPT_PER_IDENTIFIER, KEPT_PER_SECOND } from '@/lib/statistics/notable-decisions';
import { Recorder } from '@/lib/statistics/recorder';
import { KEPT_IDENTIFIERS } from '@/lib/statistics/step';
import { MOST_DECISIONS, removeOutdated } from '@/lib/statistics/writes';
import { DAY, HOUR, MINUTE } from '@/lib/units';
import { decisionEvent, refusalEvent } from '../../fixtures/decision-event';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

const START = Date.parse('2026-11-20T12:00:00.000Z');

let file: MigratedDatabase;
let now: number;
let recorder: Recorder;
const logged: string[] = [];
const logger = { warn: (_: unknown, text?: string) => logged.push(text ?? ''), info: () => undefined } as never;

const decision = (change: Partial<DecisionEvent> = {}) => decisionEvent(now, change);
const refusal = (identifier: string, change: Partial<DecisionEvent> = {}) => refusalEvent(now, identifier, change);

beforeEach(async () => {
  file = await migratedDatabase();
  now = START;
  logged.length = 0;
  recorder = new Recorder({ database: file.database, logger, clock: () => now });
});

afterEach(() => file[Symbol.dispose]());

describe('what was decided is counted', () => {
  it('by minute, hour and day, class, outcome and reason, across flushes', async () => {
    for (let n = 0; n < 3; n += 1) recorder.record(decision());
    recorder.record(refusal('203.0.113.9'));
    await recorder.flush();
    now += MINUTE;
    for (let n = 0; n < 2; n += 1) recorder.record(decision());
    await recorder.flush();
    await recorder.flush();

    const rows = await file.database.drizzle
      .select()
      .from(rollups)
      .orderBy(rollups.step, rollups.start, rollups.outcome);
    const day = Date.parse('2026-11-20T00:00:00.000Z');
    const allowed = { class: 'read', outcome: 'allowed', reason: '' };
    const refused = { class: 'read', outcome: 'refused', reason: 'rate_limit_exceeded' };
    expect(rows).toEqual([
      { step: 60, start: START, ...allowed, count: 3 },
      { step: 60, start: START, ...refused, count: 1 },
      { step: 60, start: START + MINUTE, ...allowed, count: 2 },
      { step: 3600, start: START, ...allowed, count: 5 },
      { step: 3600, start: START, ...refused, count: 1 },
      { step: 86400, start: day, ...allowed, count: 5 },
      { step: 86400, start: day, ...refused, count: 1 },
    ]);
    expect(recorder.listTotals()).toEqual([
      { ...allowed, count: 5 },
      { ...refused, count: 1 },
    ]);
  });

  it('by API key and day, by weight, with its last use and that of overrides', async () => {
    recorder.record(decision({ apiKeyId: 'key-1', cost: 3, overrideIds: ['own-1'] }));
    recorder.record(refusal('203.0.113.9', { apiKeyId: 'key-1', cost: 2 }));
    now += DAY;
    recorder.record(decision({ apiKeyId: 'key-1' }));
    recorder.usage.use('token:abc', now);
    await recorder.flush();
    const day = START - (START % DAY);
    expect(await file.database.drizzle.select().from(keyDays).orderBy(keyDays.day)).toEqual([
      { apiKeyId: 'key-1', day, allowed: 3, refused: 2 },
      { apiKeyId: 'key-1', day: day + DAY, allowed: 1, refused: 0 },
    ]);
    expect(await file.database.drizzle.select().from(lastUses).orderBy(lastUses.subject)).toEqual([
      { subject: 'api_key:key-1', at: now },
      { subject: 'override:own-1', at: START },
      { subject: 'token:abc', at: now },
    ]);
  });

  it('refusals, bypasses and degraded decisions are kept one by one, allowed ones are not', async () => {
    recorder.record(decision());
    recorder.record(refusal('203.0.113.9', { path: `/${'x'.repeat(2_000)}` }));
    recorder.record(decision({ outcome: 'bypassed', subjectType: 'ip', identifier: '203.0.113.7' }));
    recorder.record(decision({ outcome: 'degraded' }));
    await recorder.flush();
    const rows = await file.database.drizzle.select().from(decisions).orderBy(decisions.id);
    expect(rows.map((row) => row.outcome)).toEqual(['refused', 'bypassed', 'degraded']);
    expect(rows[0]).toMatchObject({
      at: START,
      class: 'read',
      reason: 'rate_limit_exceeded',
      identifier: '203.0.113.9',
      subjectType: 'ip',
    });
    expect(rows[0]?.path).toHaveLength(512);
  });
});

describe('an attack stays bounded', () => {
  it('in rows a second and rows of one identifier, while every refusal is counted', async () => {
    for (let n = 0; n < 5_000; n += 1) recorder.record(refusal('203.0.113.9'));
    for (let n = 0; n < 5_000; n += 1) recorder.record(refusal(`198.51.100.${n % 250}`));
    await recorder.flush();
    const rows = await file.database.drizzle.select().from(decisions);
    // One row more counts the decisions of all callers without a row.
    expect(rows).toHaveLength(KEPT_PER_SECOND + 1);
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(10_000);
    expect(rows.at(-1)).toMatchObject({ identifier: null, ip: null, reason: 'rate_limit_exceeded' });
    expect(rows.filter((row) => row.identifier === '203.0.113.9')).toHaveLength(KEPT_PER_IDENTIFIER);
    expect(recorder.skippedCount).toBe(10_000 - KEPT_PER_SECOND);
    expect(recorder.listTotals()).toEqual([
      { class: 'read', outcome: 'refused', reason: 'rate_limit_exceeded', count: 10_000 },
    ]);
  });

  it('in the top list, which still names who is refused most, never with too high a count', async () => {
    for (let n = 0; n < 50_000; n += 1) {
      recorder.record(refusal(`2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::/64`));
      if (n % 50 === 0) recorder.record(refusal('203.0.113.9'));
      if (n % 5_000 === 0) await recorder.flush();
    }
    now += MINUTE;
    await recorder.flush();
    for (const step of [60, 3_600, 86_400] as const) {
      const rows = (await file.database.drizzle.select().from(refusedIdentifiers)).filter((row) => row.step === step);
      rows.sort((a, b) => b.count - a.count);
      expect(rows.length).toBeLessThanOrEqual(KEPT_IDENTIFIERS[step]);
      expect(rows[0]?.identifier).toBe('203.0.113.9');
      expect(rows[0]?.count).toBeGreaterThan(900);
      expect(rows[0]?.count).toBeLessThanOrEqual(1_000);
    }
  });
});

it('stopping writes all that waits, the running minute with its lists, and comes to an end', async () => {
  for (let n = 0; n < 3_000; n += 1)
    recorder.record(refusal(`198.51.100.${n % 50}`, { apiKeyId: `key-${n}`, at: now + n }));
  await recorder.stop();
  const listed = await file.database.drizzle.select().from(refusedIdentifiers);
  expect(new Set(listed.map((row) => row.step))).toEqual(new Set([60, 3_600, 86_400]));
  expect(await file.database.drizzle.select().from(keyDays)).toHaveLength(3_000);
  expect((await file.database.drizzle.select().from(rollups)).every((row) => row.count === 3_000)).toBe(true);
});

describe('a database that is down', () => {
  it('costs nothing that was counted, and is said once', async () => {
    const other = file.reopen();
    other.handle?.exec('begin immediate');
    recorder.record(decision());
    await recorder.flush();
    recorder.record(refusal('203.0.113.9'));
    now += MINUTE;
    recorder.record(decision());
    await recorder.flush();
    expect(recorder.failures).toBe(2);
    expect(logged).toEqual(['statistics cannot be written; buffering them']);
    other.handle?.exec('commit');
    await recorder.stop();
    expect(recorder.failures).toBe(0);
    const rows = await file.database.drizzle.select().from(rollups);
    const minutes = rows.filter((row) => row.step === 60);
    expect(minutes.map((row) => [row.start, row.outcome, row.count])).toEqual(
      expect.arrayContaining([
        [START, 'allowed', 1],
        [START, 'refused', 1],
        [START + MINUTE, 'allowed', 1],
      ]),
    );
    expect(minutes).toHaveLength(3);
    expect(await file.database.drizzle.select().from(decisions)).toHaveLength(1);
  });

  it('does not make memory grow without end: the oldest minutes go', async () => {
    const other = file.reopen();
    other.handle?.exec('begin immediate');
    for (let n = 0; n < 2_000; n += 1) {
      recorder.record(decision());
      now += MINUTE;
    }
    other.handle?.exec('rollback');
    await recorder.stop();
    const rows = (await file.database.drizzle.select().from(rollups)).filter((row) => row.step === 60);
    expect(rows).toHaveLength(1_440);
    expect(Math.min(...rows.map((row) => row.start))).toBe(START + 560 * MINUTE);
  });
});

it('several processes add up in one file', async () => {
  const second = new Recorder({ database: file.reopen(), logger, clock: () => now });
  for (let n = 0; n < 10; n += 1) {
    recorder.record(decision());
    second.record(decision());
    await Promise.all([recorder.flush(), second.flush()]);
  }
  await Promise.all([recorder.stop(), second.stop()]);
  const [row] = (await file.database.drizzle.select().from(rollups)).filter((rollup) => rollup.step === 60);
  expect(row?.count).toBe(20);
});

it('outdated rows go in small portions, the newest decisions stay', async () => {
  const handle = file.database.handle!;
  for (let n = 0; n < 50; n += 1) {
    recorder.record(refusal(`198.51.100.${n}`));
    await recorder.flush();
    now += MINUTE;
  }
  await recorder.stop();
  handle.exec(
    `insert into decisions (id, at, outcome, class) values (${MOST_DECISIONS + 20}, ${now}, 'refused', 'read')`,
  );
  const count = (table: string) => (handle.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n;
  expect(count('rollups where step = 60')).toBe(50);
  expect(await removeOutdated(file.database, now)).toBe(20);
  expect(count('decisions')).toBe(31);
  const later = now + 2 * DAY;
  // 20 minutes of rollups, 20 of refused identifiers, 2 of demand.
  expect(await removeOutdated(file.database, later)).toBe(42);
  while ((await removeOutdated(file.database, later)) > 0);
  expect(count('rollups where step = 60')).toBe(0);
  expect(count('rollups where step = 3600')).toBe(1);
  while ((await removeOutdated(file.database, START + 61 * DAY + HOUR)) > 0);
  expect(count('rollups where step = 3600')).toBe(0);
  expect(count('rollups where step = 86400')).toBe(1);
  expect(count('decisions')).toBe(0);
});
