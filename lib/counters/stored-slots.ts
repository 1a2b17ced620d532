import { EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';

/** A window from `[slot, hits]` pairs, oldest first. What is damaged has counted nothing. */
export function slidingFromSlots(pairs: readonly (readonly unknown[])[]): SlidingCounter {
  const newest = Number(pairs.at(-1)?.[0]);
  if (!Number.isSafeInteger(newest)) return EMPTY_SLIDING;
  const hits: number[] = [];
  for (const [slot, count] of pairs) hits[newest - Number(slot)] = Number(count);
  return { kind: 'sliding', newest, hits: Array.from(hits, (count) => count ?? 0) };
}

/** A window as the embedded file stores it: JSON, `[newest slot, hits in it, hits in the slot before, ...]`. */
export function writeSlots(counter: SlidingCounter): string {
  return `[${counter.newest},${counter.hits.join(',')}]`;
}

/** Reads what `writeSlots` wrote. What is missing or damaged has counted nothing. */
export function readSlots(text: string | null): SlidingCounter {
  if (text === null) return EMPTY_SLIDING;
  const [newest, ...hits] = text.slice(1, -1).split(',').map(Number);
  return newest !== undefined && hits.length > 0 && Number.isSafeInteger(newest) && hits.every(isCount)
    ? { kind: 'sliding', newest, hits }
    : EMPTY_SLIDING;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
