import { setTimeout as wait } from 'node:timers/promises';
import Libsql from 'libsql';
import { describe, expect, it, vi } from 'vitest';
import { computeCalendarMonth } from '@/lib/limiter/window';
import { databasePath, openStore } from '@/tests/unit/counters/open-counters';

/** Rows of which every second one is dead at `now`. */
function fill(database: Libsql.Database, rows: number, now: number): void {
  database.exec('begin');
  const insert = database.prepare('insert into counter_windows values (?, ?, ?)');
  for (let i = 0; i < rows; i++) {
    insert.run(`user|${String(i).padStart(6, '0')}|read|60`, i % 2 ? now + 60_000 : now, '[29587684,1,5,2]');
  }
  database.exec('commit');
  database.exec('pragma wal_checkpoint(truncate)');
}

function count(database: Libsql.Database, table: string): number {
  const row: unknown = database.prepare(`select count(*) from ${table}`).raw().get();
  return Array.isArray(row) ? Number(row[0]) : Number.NaN;
}

describe('the sweep', () => {
  it('deletes what is dead and nothing else, at most 500 rows in a turn', async () => {
    let turns = 0;
    const changes: number[] = [];
    const { store, database, clock } = openStore(undefined, {
      monotonic: () => 0,
      wait: async () => {
        turns += 1;
        changes.push(count(database, 'counter_windows'));
        await wait(0);
      },
    });
    fill(database, 100_000, clock.now);
    expect(await store.sweep(200_000)).toBe(50_000);
    expect(count(database, 'counter_windows')).toBe(50_000);
    expect(turns).toBeGreaterThanOrEqual(199);
    // Every second row of those that a turn walks through is dead. `npm run bench -- growth` has the milliseconds.
    for (const [i, left] of changes.entries()) expect((changes[i - 1] ?? 100_000) - left).toBeLessThanOrEqual(250);
    expect(await store.sweep(200_000)).toBe(0);
  });

  it('takes smaller steps where a step takes long, and larger ones again', async () => {
    let now = 0;
    let slow = true;
    const { store, database, clock } = openStore(undefined, {
      wait: () => wait(0),
      // Asked before and after each step.
      monotonic: () => {
        now += slow ? 6 : 1;
        return now;
      },
    });
    fill(database, 20_000, clock.now);
    const steps = async (budget: number) => {
      const run = vi.spyOn(database, 'prepare');
      await store.sweep(budget);
      const made = run.mock.calls.filter(([sql]) => sql.startsWith('delete')).length;
      run.mockRestore();
      return made;
    };
    // 500, 250, 125, 62, 31 and then 20 at a time.
    expect(await steps(500 + 250 + 125 + 62 + 31 + 5 * 20)).toBe(10);
    slow = false;
    // 20, 40, 80, 160, 320 and then 500 at a time.
    expect(await steps(20 + 40 + 80 + 160 + 320 + 3 * 500)).toBe(8);
  });

  it('continues where the last call ended, and starts over after the end', async () => {
    const { store, database, clock } = openStore(undefined, { wait: () => wait(0) });
    fill(database, 1000, clock.now);
    expect(await store.sweep(100)).toBe(50);
    expect(await store.sweep(700)).toBe(350);
    expect(await store.sweep(100_000)).toBe(100);
    clock.now += 60_000;
    expect(await store.sweep(100_000)).toBe(500);
    expect(count(database, 'counter_windows')).toBe(0);
  });

  it('keeps a year of months besides the present one', async () => {
    const { store, database, clock } = openStore(undefined, { wait: () => wait(0) });
    const present = computeCalendarMonth(clock.now);
    const insert = database.prepare('insert into counter_months values (?, ?, 1, 0)');
    for (const key of ['quota|a|month', 'quota|b|month'])
      for (let month = 0; month < 20; month++) insert.run(key, present - month);
    expect(await store.sweep(1000)).toBe(14);
    const months = database.prepare('select min(month), count(*) from counter_months').raw().get();
    expect(months).toEqual([present - 12, 26]);
  });

  it('does one thing at a time', async () => {
    const { store, database, clock } = openStore();
    fill(database, 4000, clock.now);
    const [first, second] = await Promise.all([store.sweep(10_000), store.sweep(10_000)]);
    expect([first, second]).toEqual([2000, 0]);
  });

  it('leaves nothing in progress on the connection when it meets the lock of another process', async () => {
    const path = databasePath();
    const { store, database, clock } = openStore(path);
    fill(database, 100, clock.now);
    const other = new Libsql(path);
    other.exec('begin immediate');
    expect(await store.sweep(100)).toBe(0);
    other.exec('rollback');
    other.close();
    database.exec('begin immediate');
    database.exec("insert into counter_months values ('quota|a|month', 0, 1, 0)");
    database.exec('commit');
    expect(await store.sweep(100)).toBe(50);
  });
});
