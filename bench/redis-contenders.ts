import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisCounters } from '../lib/counters/redis/store';
import type { CounterStore } from '../lib/counters/store';
import { buildCounterKey } from '../lib/limiter/counter-key';
import type { Meter, SubjectKind, Window } from '../lib/limiter/meter';
import { createQueue } from './create-queue';

/** Never reached, because an admission costs more than a refusal. */
const LIMIT = 1_000_000_000;
const MINUTE: Window = { kind: 'sliding', seconds: 60 };
const MONTH: Window = { kind: 'month' };
const KINDS: readonly SubjectKind[] = ['ip', 'client', 'user', 'quota'];

export interface Load {
  /** Number of subjects. Each decision concerns a random one. */
  subjects: number;
  /** Meters per decision. 1: the address. 4: address, client, user and quota. */
  meters: 1 | 4;
}

/** Makes one decision at a time, on its own connection. */
export interface Contender {
  name: string;
  decide: () => Promise<unknown>;
  close: () => Promise<void>;
}

function pickSubject({ subjects }: Load): string {
  const i = Math.floor(Math.random() * subjects);
  return `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
}

/** Contender: Sluice's store. The queue groups single decisions, as in the engine. */
export function sluiceOn(name: string, store: CounterStore, load: Load): Contender {
  const queue = createQueue(store);
  return {
    name,
    decide: async () => {
      const id = pickSubject(load);
      const meters = KINDS.slice(0, load.meters).map((subject): Meter => {
        const window = subject === 'quota' ? MONTH : MINUTE;
        return { subject, key: buildCounterKey(subject, id, 'read', window), limit: LIMIT, window };
      });
      const verdict = await queue.submit({ cost: 1, meters });
      if (!verdict.admitted) throw new Error('A decision was refused.');
    },
    close: () => store.close(),
  };
}

export async function sluiceRedis(url: string, load: Load): Promise<Contender> {
  return sluiceOn('Sluice', await openRedisCounters(url), load);
}

/** Opens the store with settings that never change. */
export function openRedisCounters(url: string): Promise<RedisCounters> {
  const quiet = () => undefined;
  return RedisCounters.open({
    url,
    logger: { info: quiet, warn: quiet, error: quiet },
    clock: () => Date.now(),
    newestRevision: async () => 0,
    installation: 'bench',
    commandTimeout: 10_000,
  });
}

/** Contender: the peer. It has one limiter per meter, not all or nothing together. */
export function peerRedis(url: string, load: Load): Contender {
  const storeClient = new Redis(url);
  const limiters = KINDS.slice(0, load.meters).map((keyPrefix) => {
    return new RateLimiterRedis({ storeClient, keyPrefix, points: LIMIT, duration: 60 });
  });
  return {
    name: 'rate-limiter-flexible, Redis',
    decide: () => {
      const id = pickSubject(load);
      return Promise.all(limiters.map((limiter) => limiter.consume(id)));
    },
    close: async () => storeClient.disconnect(),
  };
}

/** Returns decisions per second of concurrent callers that each continue once answered. */
export async function closedLoop({ decide }: Contender, callers: number, milliseconds: number): Promise<number> {
  const start = performance.now();
  let decided = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - start < milliseconds) {
        await decide();
        decided += 1;
      }
    }),
  );
  return (decided / (performance.now() - start)) * 1000;
}

/** Returns the processor time of a Redis so far, in µs. */
export async function redisProcessorTime(admin: Redis): Promise<number> {
  const info = await admin.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? Number.NaN);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000_000;
}
