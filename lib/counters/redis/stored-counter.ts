import type { MonthCounter } from '@/lib/limiter/counter';
import { EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';

const STORED = /^(?:\d+:\d+;)+$/;

/** Reads a sliding window as `READ_SCRIPT` answers it; what is missing or damaged has counted nothing. */
export function readStoredWindow(text: unknown): SlidingCounter {
  if (typeof text !== 'string' || !STORED.test(text)) return EMPTY_SLIDING;
  const slots = [...text.matchAll(/(\d+):(\d+);/g)].map(([, slot, count]) => [Number(slot), Number(count)] as const);
  const newest = slots.at(-1)?.[0] ?? 0;
  const hits: number[] = [];
  for (const [slot, count] of slots) hits[newest - slot] = count;
  return { kind: 'sliding', newest, hits: Array.from(hits, (count) => count ?? 0) };
}

/** Reads the pair of what counts in a month and what is forgiven of it. */
export function readStoredMonth(pair: unknown, month: number): MonthCounter {
  const [counts, forgiven]: unknown[] = Array.isArray(pair) ? pair : [];
  const floor = Number(forgiven ?? 0);
  return { kind: 'month', month, hits: floor + Number(counts ?? 0), floor };
}
