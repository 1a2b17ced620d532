import { slidingFromSlots } from '@/lib/counters/stored-slots';
import type { MonthCounter } from '@/lib/limiter/counter';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';

const STORED = /^(?:\d+:\d+;)+$/;

/** Reads a sliding window as `READ_SCRIPT` replies it; a key that is missing or damaged has counted nothing. */
export function readStoredWindow(text: unknown): SlidingCounter {
  const slots = typeof text === 'string' && STORED.test(text) ? text : '';
  return slidingFromSlots([...slots.matchAll(/(\d+):(\d+);/g)].map(([, slot, count]) => [slot, count]));
}

/** Reads the pair of what counts in a month and what resets have taken out of it. */
export function readStoredMonth(pair: unknown, month: number): MonthCounter {
  const [counts, floored]: unknown[] = Array.isArray(pair) ? pair : [];
  const floor = Number(floored ?? 0);
  return { kind: 'month', month, hits: floor + Number(counts ?? 0), floor };
}
