import { RedisCounters } from '@/lib/counters/redis/store';
import type { Attempt } from '@/lib/limiter/meter';

/*
 * A process that admits: for each order it asks for `demand` decisions on the same keys, in groups of seven, several on
 * their way at once, and answers how many were admitted.
 */
export interface Order {
  keys: string[];
  limit: number;
  demand: number;
}

const [url = ''] = process.argv.slice(2);
const quiet = () => undefined;
const store = await RedisCounters.open({
  url,
  logger: { info: quiet, warn: quiet, error: quiet },
  clock: () => Date.now(),
  newestRevision: async () => 0,
  installation: 'test',
  commandTimeout: 20_000,
});

async function admitted(attempts: readonly Attempt[]): Promise<number> {
  const answer = await store.commit(0, attempts);
  if (answer.kind === 'stale') throw new Error('stale');
  return answer.verdicts.filter((verdict) => verdict.admitted).length;
}

async function serve({ keys, limit, demand }: Order): Promise<void> {
  const meters = keys.map((key) => ({
    subject: 'ip' as const,
    key,
    limit,
    window: { kind: 'sliding' as const, seconds: 3600 },
  }));
  const groups = Array.from({ length: Math.ceil(demand / 7) }, (_, i) => {
    return Array.from({ length: Math.min(7, demand - i * 7) }, () => ({ meters, cost: 1 }));
  });
  const counts = await Promise.all(groups.map(admitted));
  process.send?.({ admitted: counts.reduce((sum, count) => sum + count, 0) });
}

process.on('message', (order: Order) => void serve(order));
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
