import type { MonthCounter } from '@/lib/limiter/counter';
import type { MonthWindow } from '@/lib/limiter/meter';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Some of the counters of a store. The length of a window is part of its key. */
export interface CounterBatch {
  windows: readonly { key: string; counter: SlidingCounter }[];
  months: readonly { key: string; counter: MonthCounter }[];
}

/** All counters of a store. They are read and replaced as a whole while the store decides nothing. */
export interface CounterSnapshot {
  /** Reads all counters, batch by batch, in no order. @throws StoreUnavailable, DatabaseUnavailable */
  read(): AsyncGenerator<CounterBatch>;
  /** Deletes all counters. */
  clear(): Promise<void>;
  /** Adds counters to an empty snapshot. Counters of a batch may exist already. */
  write(batch: CounterBatch): Promise<void>;
}

/** Summary of the counters for people: keys with a quota used this month, their requests, and counters of windows. */
export interface CounterSum {
  keys: number;
  requests: number;
  windows: number;
}

const QUOTA = 'quota|';

/** Months of quotas that differ from the calendar months, by counter key. */
export type AnchoredMonths = ReadonlyMap<string, MonthWindow>;

/** Adds up the counters of a snapshot that still count at `now`. */
export async function sumSnapshot(
  snapshot: Pick<CounterSnapshot, 'read'>,
  anchored: AnchoredMonths,
  now: Millis,
): Promise<CounterSum> {
  const sum = { keys: 0, requests: 0, windows: 0 };
  for await (const { windows, months } of snapshot.read()) {
    for (const { key, counter } of months) {
      const usage =
        counter.month === computeCalendarMonth(now, anchored.get(key)?.anchor) ? counter.hits - counter.floor : 0;
      if (usage <= 0 || !key.startsWith(QUOTA)) continue;
      sum.keys += 1;
      sum.requests += usage;
    }
    for (const { key, counter } of windows) if (findWindowEnd(key, counter) > now) sum.windows += 1;
  }
  return sum;
}

/** Returns when no window covers any slot of a counter, or 0 if the key names no window. */
export function findWindowEnd(key: string, { newest }: SlidingCounter): Millis {
  const seconds = parseWindowSeconds(key);
  return seconds === null ? 0 : Math.ceil(((newest + 62) * seconds * 1000) / 60);
}

/** Returns the length of a key's window in seconds, or null for a month. See `buildCounterKey` and `formatWindow`. */
export function parseWindowSeconds(key: string): number | null {
  const [, seconds] = /\|\+?(\d+)$/.exec(key) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

/**
 * Replaces the counters of one store by those of another. After an interruption it starts again from the beginning, so
 * nothing is counted twice.
 * @returns how many counters were copied
 */
export async function copySnapshot(from: Pick<CounterSnapshot, 'read'>, to: CounterSnapshot): Promise<number> {
  await to.clear();
  let copied = 0;
  for await (const batch of from.read()) {
    await to.write(batch);
    copied += batch.windows.length + batch.months.length;
  }
  return copied;
}
