import { join } from 'node:path';
import { type RateLimiterAbstract, RateLimiterSQLite, RateLimiterUnion } from 'rate-limiter-flexible';
import { GroupCommit, groupOptions } from '../lib/counters/group-commit';
import type { CounterStore, Settlement } from '../lib/counters/store';
import type { Charge } from '../lib/limiter/corrections';
import { counterKey, limitKey } from '../lib/limiter/counter-key';
import type { Attempt, Meter, Window } from '../lib/limiter/meter';
import { createQueue } from './create-queue';
import { type Contender, cost, formatThousands, median, rounds, table } from './rounds';
import { runInFolder } from './run-in-folder';
import { embeddedCounters, openCounters } from './tables';

/** Never reached, because an admission costs more than a refusal. */
const LIMIT = 1_000_000_000;
const SUBJECTS = 1_000;
const SECONDS = [1, 60, 3_600];
const WAITING = [50, 100];

/** Measures checks and settlements of named limits against a class, and against a union of three other limiters. */
export async function run(): Promise<string> {
  return runInFolder(async (folder) => {
    const open = (name: string) => embeddedCounters(openCounters(join(folder, name)));
    const contenders = [
      checker('class', open('class.db'), (id) => [createMeter(counterKey('ip', id, 'read', MINUTE), MINUTE)]),
      checker('named limit', open('named.db'), (id) => [named(id, 60)]),
      checker('three windows', open('windows.db'), (id) => SECONDS.map((seconds) => named(id, seconds))),
      settler('settlement', open('settled.db')),
      await createUnion('RateLimiterUnion of three', join(folder, 'union.db')),
    ];
    const rows: string[][] = [];
    for (const waiting of WAITING) {
      const costs = await rounds(contenders, waiting, 200, 9, median, cost);
      const [ofClass = Number.NaN, one = Number.NaN, three = Number.NaN, settled = Number.NaN, union = Number.NaN] =
        costs;
      const ratios = [one / ofClass, three / one, settled / one, union / three].map((ratio) => `${ratio.toFixed(2)} ×`);
      rows.push([String(waiting), ...costs.map((micros) => micros.toFixed(1)), ...ratios]);
    }
    const head = ['waiting', ...contenders.map(({ name }) => name)];
    const compared = ['named / class', 'three / one', 'settlement / named', 'union / three windows'];
    return `Microseconds of CPU time per operation, median of 9 interleaved rounds; ${formatThousands(SUBJECTS)} subjects, WAL, \`synchronous = normal\`, each on a file of its own.\n\n${table([...head, ...compared], rows)}`;
  });
}

const MINUTE: Window = { kind: 'sliding', seconds: 60 };

function createMeter(key: string, window: Window): Meter {
  return { subject: 'limit', key, limit: LIMIT, window };
}

function named(id: string, seconds: number): Meter {
  const window: Window = { kind: 'sliding', seconds };
  return createMeter(limitKey('0123456789ab', id, window), window);
}

function pickSubject(): string {
  return `+49151${Math.floor(Math.random() * SUBJECTS)}`;
}

function checker(name: string, store: CounterStore, list: (id: string) => Meter[]): Contender {
  const queue = createQueue(store);
  const attempt = (): Attempt => ({ cost: 1, meters: list(pickSubject()) });
  return {
    name,
    decide: async (waiting) => {
      const verdicts = await Promise.all(Array.from({ length: waiting }, () => queue.submit(attempt())));
      if (!verdicts.every(({ admitted }) => admitted)) throw new Error('A check was refused.');
    },
  };
}

/** Settles what was never counted: nothing to give back, and one unit more each time. */
function settler(name: string, store: CounterStore): Contender {
  let settled = 0;
  const queue = new GroupCommit(async (settlements: readonly Settlement[]): Promise<readonly boolean[]> => {
    const answer = await store.commit(0, [], settlements);
    if (answer.kind === 'stale') throw new Error('The revision does not move in a benchmark.');
    return answer.settled;
  }, groupOptions(store));
  return {
    name,
    decide: async (waiting) => {
      const answers = await Promise.all(
        Array.from({ length: waiting }, () => {
          const { key, window } = named(pickSubject(), 60);
          const charge: Charge = { key, window, at: Date.now(), cost: 1, used: 2 };
          settled += 1;
          return queue.submit({ id: settled.toString(36).padStart(16, '0'), charges: [charge], keptFor: 60_000 });
        }),
      );
      if (answers.includes(false)) throw new Error('A settlement was refused.');
    },
  };
}

async function createUnion(name: string, path: string): Promise<Contender> {
  const database = openCounters(path);
  const limiters = await Promise.all(
    SECONDS.map(
      (seconds) =>
        new Promise<RateLimiterSQLite>((resolve, reject) => {
          const limiter: RateLimiterSQLite = new RateLimiterSQLite(
            {
              storeClient: database,
              storeType: 'better-sqlite3',
              tableName: 'peer',
              keyPrefix: `s${seconds}`,
              points: LIMIT,
              duration: seconds,
            },
            (error) => (error ? reject(error) : resolve(limiter)),
          );
        }),
    ),
  );
  const union = new RateLimiterUnion(...(limiters as RateLimiterAbstract[]));
  return {
    name,
    decide: async (waiting) => {
      await Promise.all(Array.from({ length: waiting }, () => union.consume(pickSubject())));
    },
  };
}
