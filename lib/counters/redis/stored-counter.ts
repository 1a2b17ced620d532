import type { MonthCounter } from '@/lib/limiter/counter';
import { EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';

const STORED = /^(\d{16})(\d+) \d+[;!]((?:\d+:\d+;)*)$/;

/** Reads a sliding window as `COMMIT_SCRIPT` keeps it; what is missing or damaged has counted nothing. */
export function readStoredWindow(text: unknown): SlidingCounter {
  const found = typeof text === 'string' ? STORED.exec(text) : null;
  if (found === null) return EMPTY_SLIDING;
  const newest = Number(found[2]);
  const hits = [Number(found[1])];
  for (const [, slot, count] of (found[3] ?? '').matchAll(/(\d+):(\d+);/g)) hits[newest - Number(slot)] = Number(count);
  return { kind: 'sliding', newest, hits: Array.from(hits, (count) => count ?? 0) };
}

/** Reads the pair of what counts in a month and what is forgiven of it. */
export function readStoredMonth(pair: unknown, month: number): MonthCounter {
  const [counts, forgiven]: unknown[] = Array.isArray(pair) ? pair : [];
  const floor = Number(forgiven ?? 0);
  return { kind: 'month', month, hits: floor + Number(counts ?? 0), floor };
}
