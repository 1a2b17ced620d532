import type Libsql from 'libsql';
import { RateLimiterMemory, RateLimiterSQLite } from 'rate-limiter-flexible';
import { buildCounterKey } from '../lib/limiter/counter-key';
import type { Attempt, Meter, SubjectKind, Window } from '../lib/limiter/meter';
import { createQueue } from './create-queue';
import type { Contender } from './rounds';
import { embeddedCounters, openCounters } from './tables';

/** Never reached, because an admission costs more than a refusal. */
const LIMIT = 1_000_000_000;
const MINUTE: Window = { kind: 'sliding', seconds: 60 };
const MONTH: Window = { kind: 'month' };

export interface Load {
  /** Number of subjects. Each decision concerns a random one. */
  keys: number;
  /** Meters per decision. 1: the address. 4: address, client, user and quota. */
  meters: 1 | 4;
}

const KINDS: readonly SubjectKind[] = ['ip', 'client', 'user', 'quota'];

/** Returns subject `i` as an address. */
function address(i: number): string {
  return `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
}

function pickSubject(keys: number): string {
  return address(Math.floor(Math.random() * keys));
}

/**
 * Contender: the engine. It decides in groups, exactly across all processes on the file, all or nothing over the
 * meters.
 */
export function sluice(path: string, { keys, meters }: Load): Contender {
  const database = openCounters(path);
  fillSluice(database, keys);
  const store = embeddedCounters(database);
  const queue = createQueue(store);
  const attempt = (): Attempt => {
    const id = pickSubject(keys);
    return {
      cost: 1,
      meters: KINDS.slice(0, meters).map((subject): Meter => {
        const window = subject === 'quota' ? MONTH : MINUTE;
        return { subject, key: buildCounterKey(subject, id, 'read', window), limit: LIMIT, window };
      }),
    };
  };
  return {
    name: 'Sluice',
    decide: async (waiting) => {
      const verdicts = await Promise.all(Array.from({ length: waiting }, () => queue.submit(attempt())));
      if (!verdicts.every((verdict) => verdict.admitted)) throw new Error('A decision was refused.');
    },
  };
}

/** Writes live windows of all subjects in random order, as traffic would. */
function fillSluice(database: Libsql.Database, keys: number): void {
  if (keys < 100_000) return;
  const slot = Math.floor(Date.now() / 1000);
  database.exec('begin');
  const insert = database.prepare('insert into counter_windows values (?, ?, ?)');
  for (const i of shuffle(keys)) {
    insert.run(buildCounterKey('ip', address(i), 'read', MINUTE), (slot + 3600) * 1000, `[${slot - 30},1,2,0,1]`);
  }
  database.exec('commit');
  database.exec('pragma wal_checkpoint(truncate)');
}

/** Contender: the peer with the same settings. It has one limiter per meter, not all or nothing. */
export async function peerSqlite(path: string, { keys, meters }: Load): Promise<Contender> {
  const database = openCounters(path);
  const limiters = await Promise.all(
    KINDS.slice(0, meters).map(
      (keyPrefix) =>
        new Promise<RateLimiterSQLite>((resolve, reject) => {
          const limiter: RateLimiterSQLite = new RateLimiterSQLite(
            {
              storeClient: database,
              storeType: 'better-sqlite3',
              tableName: 'peer',
              keyPrefix,
              points: LIMIT,
              duration: 60,
            },
            (error) => (error ? reject(error) : resolve(limiter)),
          );
        }),
    ),
  );
  fillPeer(database, keys);
  return consumer('rate-limiter-flexible, SQLite', keys, limiters);
}

function fillPeer(database: Libsql.Database, keys: number): void {
  if (keys < 100_000) return;
  database.exec('begin');
  const insert = database.prepare('insert into peer values (?, 4, ?)');
  for (const i of shuffle(keys)) insert.run(`ip:${address(i)}`, Date.now() + 3_600_000);
  database.exec('commit');
  database.exec('pragma wal_checkpoint(truncate)');
}

/** Contender: the peer in memory, without file or other processes. */
export function peerMemory({ keys, meters }: Load): Contender {
  const limiters = KINDS.slice(0, meters).map(
    (keyPrefix) => new RateLimiterMemory({ keyPrefix, points: LIMIT, duration: 60 }),
  );
  return consumer('rate-limiter-flexible, memory', keys, limiters);
}

function consumer(
  name: string,
  keys: number,
  limiters: readonly { consume(key: string): Promise<unknown> }[],
): Contender {
  return {
    name,
    decide: async (waiting) => {
      await Promise.all(
        Array.from({ length: waiting }, () => {
          const id = pickSubject(keys);
          return Promise.all(limiters.map((limiter) => limiter.consume(id)));
        }),
      );
    },
  };
}

function shuffle(length: number): number[] {
  const order = Array.from({ length }, (_, i) => i);
  for (let i = length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}
