import type { Attempt } from '@/lib/limiter/meter';
import type { Seconds } from '@/lib/units';

/**
 * What an item (a run of equal attempts) demands of one counter: number of the item, key, window in seconds (0: month),
 * limit (-1: none), cost of one attempt, how many attempts.
 */
type Demand = readonly [item: number, key: string, seconds: Seconds, limit: number, cost: number, times: number];

/** Items of which no two share a counter, so that one statement can decide them all. */
export type IndependentBatch = Demand[];

interface Item {
  readonly batch: number;
  /** Equal for equal attempts. */
  readonly fingerprint: string;
  readonly cost: number;
  readonly counters: readonly (readonly [key: string, seconds: Seconds, limit: number])[];
  times: number;
}

/**
 * Sorts a group into batches; deciding batch after batch gives the same result as deciding attempt after attempt. An
 * attempt comes after all earlier ones that share a counter with it, and joins the last of them if they are equal. So a
 * group needs as many statements as its busiest counter has different attempts, and one when one client sends it all.
 */
export function independentBatches(attempts: readonly Attempt[]): IndependentBatch[] {
  const items: Item[] = [];
  const latest = new Map<string, Item>();
  for (const attempt of attempts) {
    if (attempt.cost === 0) continue;
    const counters = countersOf(attempt);
    const before = counters.map(([key]) => latest.get(key));
    const fingerprint = JSON.stringify([attempt.cost, counters]);
    const [first] = before;
    if (first?.fingerprint === fingerprint && before.every((item) => item === first)) {
      first.times += 1;
      continue;
    }
    const batch = Math.max(-1, ...before.map((item) => item?.batch ?? -1)) + 1;
    const item: Item = { batch, fingerprint, cost: attempt.cost, counters, times: 1 };
    items.push(item);
    for (const [key] of counters) latest.set(key, item);
  }
  const batches: IndependentBatch[] = [];
  for (const [number, { batch, cost, counters, times }] of items.entries()) {
    const demands = batches[batch] ?? [];
    batches[batch] = demands;
    for (const [key, seconds, limit] of counters) demands.push([number, key, seconds, limit, cost, times]);
  }
  return batches;
}

/** The counters of an attempt, each once, with the lowest of its limits. */
function countersOf({ meters }: Attempt): Item['counters'] {
  const counters = new Map<string, [string, Seconds, number]>();
  for (const { key, window, limit, unlimited } of meters) {
    const bound = unlimited === true ? -1 : limit;
    const existing = counters.get(key);
    if (existing === undefined) counters.set(key, [key, window.kind === 'month' ? 0 : window.seconds, bound]);
    else if (bound >= 0) existing[2] = existing[2] < 0 ? bound : Math.min(existing[2], bound);
  }
  return [...counters.values()];
}
