import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { openCounters } from '@/bench/tables';
import { runs } from '../../fixtures/runs';
import { databasePath, openStore } from '../../unit/counters/open-counters';
import type { Order } from './admit-process';
import { countersOf } from './counters-of';

let script: string;

beforeAll(async () => {
  script = await bundle('tests/services/counters/admit-process.ts');
});

/** @param busyTimeout how long SQLite itself waits for a lock, in milliseconds; the product's is 10 */
async function start(path: string, busyTimeout = 10): Promise<ChildProcess> {
  const child = fork(script, [path, String(busyTimeout)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, order: Order): Promise<number> {
  const answer = once(child, 'message');
  child.send(order);
  const [{ admitted }] = await answer;
  return admitted;
}

/** The tally that a flooding process keeps; 0 before there is one. */
function acknowledgedBy(tally = ''): number {
  return existsSync(tally) ? Number(readFileSync(tally, 'utf8')) : 0;
}

const HOUR = { kind: 'sliding', seconds: 3600 } as const;

/** Admissions and settlements that a process has acknowledged. */
function settledBy(tally = ''): [admitted: number, settled: number] {
  const [admitted = 0, settled = 0] = existsSync(tally) ? readFileSync(tally, 'utf8').split(' ').map(Number) : [];
  return [admitted, settled];
}

describe('several processes on one file', () => {
  it.each([1, 5, 50])(
    'admit exactly the limit, 50 times out of 50, with a busy timeout of %i ms',
    async (busyTimeout) => {
      const path = databasePath();
      openCounters(path).close();
      const children = await Promise.all([1, 2, 3, 4].map(() => start(path, busyTimeout)));
      const { store, clock } = openStore(path);
      for (let run = 0; run < 50; run++) {
        const limit = 30 + run;
        // Two meters that all of them share, in changing order: no process may see one of them and not the other.
        const keys = [`ip|${run}|read|3600`, `user|${run}|read|3600`];
        const orders = children.map((_, i) => (i % 2 ? keys : keys.toReversed()));
        const admitted = await Promise.all(
          children.map((child, i) => ask(child, { kind: 'demand', keys: orders[i] ?? keys, limit, demand: limit })),
        );
        expect(admitted.reduce((sum, n) => sum + n)).toBe(limit);
        clock.now = Date.now();
        const states = await store.read(keys.map((key) => ({ key, window: HOUR })));
        expect(states.map(({ used }) => used)).toEqual([limit, limit]);
      }
    },
  );

  it('hold as many places as the limit together, and settle what they have counted', async () => {
    const path = databasePath();
    openCounters(path).close();
    const children = await Promise.all([1, 2].map(() => start(path)));
    const { store, clock } = openStore(path);
    for (let run = 0; run < 5; run += 1) {
      const limit = 1 + run;
      const answers = await Promise.all(
        children.map(async (child) => {
          const answer = once(child, 'message');
          child.send({ kind: 'hold', name: `${run}`, limit, turns: 40, waiting: 6 } satisfies Order);
          const [message]: { admitted: number; held: [number, number][] }[] = await answer;
          return message!;
        }),
      );
      const held = answers.flatMap((answer) => answer.held);
      const together = held.map(([at]) => held.filter(([from, until]) => from <= at && at < until).length);
      expect(Math.max(...together)).toBeLessThanOrEqual(limit);
      const admitted = answers.reduce((sum, answer) => sum + answer.admitted, 0);
      expect(admitted).toBeGreaterThan(limit);
      clock.now = Date.now();
      const states = await store.read(countersOf(`${run}`, limit));
      expect(states.map(({ used }) => used)).toEqual([admitted, 3 * admitted, 3 * admitted, 0]);
    }
  });

  it('lose and double no hit, settled or not, when they are killed while they settle', async () => {
    const path = databasePath();
    const { database, store, clock } = openStore(path);
    const waiting = 8;
    for (let run = 0; run < runs(4).numRuns; run += 1) {
      const names = [`${run}a`, `${run}b`];
      const tallies = names.map((name) => `${path}-tally-${name}`);
      const children = await Promise.all(names.map(() => start(path)));
      for (const [i, child] of children.entries()) {
        const order = { limit: 1e9, turns: 1e9, waiting, name: names[i] ?? '', tally: tallies[i] ?? '' };
        child.send({ kind: 'hold', ...order } satisfies Order);
      }
      await Promise.all(
        children.map(async (child, i) => {
          while (settledBy(tallies[i])[1] < 50 + (run % 12) * 40) await wait(1);
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          expect(await exit).toEqual([null, 'SIGKILL']);
        }),
      );
      clock.now = Date.now();
      for (const [i, name] of names.entries()) {
        const [admitted, settled] = settledBy(tallies[i]);
        const states = await store.read(countersOf(name, 1e9));
        const [requests = 0, tokens, , places = 0] = states.map(({ used }) => used);
        // Beyond what was acknowledged at most what was under way.
        expect(requests).toBeGreaterThanOrEqual(admitted);
        expect(requests).toBeLessThanOrEqual(admitted + waiting);
        expect(requests - places).toBeGreaterThanOrEqual(settled);
        expect(requests - places).toBeLessThanOrEqual(settled + waiting);
        // Every settlement is whole: in all of its counters, or in none.
        expect(states.map(({ used }) => used)).toEqual([requests, 3 * requests + 7 * places, tokens, places]);
        expect(tokens).toBe(3 * requests + 7 * places);
      }
    }
    expect(database.prepare('pragma integrity_check').raw().get()).toEqual(['ok']);
  });

  it('lose nothing that was acknowledged when they are killed under load', async () => {
    const path = databasePath();
    const { database, store, clock } = openStore(path);
    const waiting = 20;
    for (let run = 0; run < runs(4).numRuns; run++) {
      const keys = [`ip|${run}a|read|3600`, `ip|${run}b|read|3600`];
      const tallies = keys.map((_, i) => `${path}-tally-${run}-${i}`);
      const children = await Promise.all(keys.map(() => start(path)));
      for (const [i, child] of children.entries()) {
        child.send({ kind: 'flood', keys: [keys[i] ?? ''], waiting, tally: tallies[i] ?? '' } satisfies Order);
      }
      await Promise.all(
        children.map(async (child, i) => {
          while (acknowledgedBy(tallies[i]) < 50 + (run % 12) * 40) await wait(1);
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          expect(await exit).toEqual([null, 'SIGKILL']);
        }),
      );
      const acknowledged = tallies.map(acknowledgedBy);
      clock.now = Date.now();
      const states = await store.read(keys.map((key) => ({ key, window: HOUR })));
      for (const [i, { used }] of states.entries()) {
        expect(used).toBeGreaterThanOrEqual(acknowledged[i] ?? 0);
        // Beyond that at most the group that was under way.
        expect(used).toBeLessThanOrEqual((acknowledged[i] ?? 0) + waiting);
      }
    }
    expect(database.prepare('pragma integrity_check').raw().get()).toEqual(['ok']);
  });

  it('lose nothing and count nothing twice when they are killed while they fold', async () => {
    const path = databasePath();
    const { database, store, clock } = openStore(path);
    const keys = Array.from({ length: 120 }, (_, i) => `ip|${i}|read|3600`);
    const refs = keys.map((key) => ({ key, window: HOUR }));
    const waiting = 20;
    /** The oldest row of the journal moves when a fold ends, or comes to a part of its rows. */
    const oldestRow = database.prepare('select min(position) from counter_journal').raw();
    const folded = () => String(oldestRow.get());
    let most = 0;
    let least = 0;
    for (let run = 0; run < runs(3).numRuns; run++) {
      const tallies = [0, 1].map((i) => `${path}-tally-${run}-${i}`);
      const before = folded();
      const children = await Promise.all(tallies.map(() => start(path)));
      for (const [i, child] of children.entries()) {
        child.send({ kind: 'flood', keys, waiting, tally: tallies[i] ?? '' } satisfies Order);
      }
      await Promise.all(
        children.map(async (child, i) => {
          while (folded() === before) await wait(1);
          const enough = acknowledgedBy(tallies[i]) + Math.floor(Math.random() * 400);
          while (acknowledgedBy(tallies[i]) < enough) await wait(1);
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          await exit;
        }),
      );
      const acknowledged = tallies.map(acknowledgedBy).reduce((sum, count) => sum + count);
      // At most the groups that were under way are beyond it.
      least += acknowledged;
      most += acknowledged + 2 * waiting;
      clock.now = Date.now();
      const states = await store.read(refs);
      const used = states.reduce((sum, { used }) => sum + used, 0);
      expect(used).toBeGreaterThanOrEqual(least);
      expect(used).toBeLessThanOrEqual(most);
      least = used;
      most = used;
    }
    expect(database.prepare('pragma integrity_check').raw().get()).toEqual(['ok']);
  });
});
