import { openSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { embeddedCounters, openCounters } from '@/bench/tables';
import { GroupCommit } from '@/lib/counters/group-commit';
import type { Attempt, Verdict } from '@/lib/limiter/meter';
import { settle } from '../../fixtures/settle';
import { countersOf } from './counters-of';

/*
 * A process that admits: told to `demand` it asks for `demand` decisions on each set of keys and answers
 * how many were admitted. Told to `flood` it admits without end, on one of the keys at a time, and keeps the number of
 * acknowledged admissions in a file, where it outlives the process. It folds its journal all the time.
 * Told to `hold` it takes a place for a moment, again and again, settles it, and answers when it held one. With a tally it
 * does so without end, and keeps the numbers of acknowledged admissions and settlements there.
 */
export type Order =
  | { kind: 'demand'; keys: string[]; limit: number; demand: number }
  | { kind: 'flood'; keys: readonly string[]; waiting: number; tally: string }
  | { kind: 'hold'; name: string; limit: number; turns: number; waiting: number; tally?: string };

const [path = '', busyTimeout = '10'] = process.argv.slice(2);
const database = openCounters(path);
database.exec(`pragma busy_timeout = ${Number(busyTimeout)}`);
const store = embeddedCounters(database, {
  busyDeadline: 20_000,
  foldSizes: { counters: 40, units: 4_000, step: 7, rows: 3, lease: 20 },
  remembered: 60,
  unpacked: 20,
});

const queue = new GroupCommit(async (attempts: readonly Attempt[]): Promise<readonly Verdict[]> => {
  const answer = await store.commit(0, attempts);
  if (answer.kind === 'stale') throw new Error('stale');
  return answer.verdicts;
});

function attempt(keys: readonly string[], limit: number): Attempt {
  return {
    meters: keys.map((key) => ({ subject: 'ip', key, limit, window: { kind: 'sliding', seconds: 3600 } })),
    cost: 1,
  };
}

async function admit({ keys, limit, demand }: Extract<Order, { kind: 'demand' }>): Promise<void> {
  let admitted = 0;
  // A few at a time, so that the groups of the processes interleave.
  for (let asked = 0; asked < demand; asked += 7) {
    const verdicts = await Promise.all(
      Array.from({ length: Math.min(7, demand - asked) }, () => queue.submit(attempt(keys, limit))),
    );
    admitted += verdicts.filter((verdict) => verdict.admitted).length;
  }
  process.send?.({ admitted });
}

async function flood({ keys, waiting, tally }: Extract<Order, { kind: 'flood' }>): Promise<void> {
  const file = openSync(tally, 'w');
  let acknowledged = 0;
  const submitForever = async (): Promise<void> => {
    for (;;) {
      const key = keys[Math.floor(Math.random() * keys.length)] ?? '';
      await queue.submit(attempt([key], Number.MAX_SAFE_INTEGER));
      acknowledged++;
      writeSync(file, String(acknowledged), 0);
    }
  };
  await Promise.all(Array.from({ length: waiting }, submitForever));
}

const clock = () => Number(process.hrtime.bigint()) / 1e6;

async function hold({ name, limit, turns, waiting, tally }: Extract<Order, { kind: 'hold' }>): Promise<void> {
  const counters = countersOf(name, limit);
  const file = tally === undefined ? null : openSync(tally, 'w');
  const held: [from: number, until: number][] = [];
  const done = { admitted: 0, settled: 0 };
  const note = () => file !== null && writeSync(file, `${`${done.admitted} ${done.settled}`.padEnd(30)}`, 0);
  const work = async (worker: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      const commit = await store.commit(0, [{ meters: counters, cost: 1 }]);
      if (commit.kind === 'decided' && commit.verdicts[0]?.admitted === true) {
        const from = clock();
        done.admitted += 1;
        note();
        await wait((worker + turn) % 3);
        held.push([from, clock()]);
        const charges = counters.map(({ key, window, cost = 1, used }) => ({
          key,
          window,
          cost,
          used,
          at: commit.now,
        }));
        const isFirst = await settle(store, `${process.pid}.${name}.${worker}.${turn}`, charges, 600_000);
        if (!isFirst) throw new Error('It was settled before.');
        done.settled += 1;
        note();
      } else await wait(1);
    }
  };
  await Promise.all(Array.from({ length: waiting }, (_, worker) => work(worker)));
  process.send?.({ admitted: done.admitted, held });
}

function serve(order: Order): Promise<void> {
  if (order.kind === 'hold') return hold(order);
  return order.kind === 'demand' ? admit(order) : flood(order);
}

process.on('message', (order: Order) => void serve(order));
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
