import { EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';

/** A sliding counter as it is stored: JSON, `[newest slot, hits in it, hits in the slot before, ...]`. */
export function writeSlots(counter: SlidingCounter): string {
  return `[${counter.newest},${counter.hits.join(',')}]`;
}

/** Reads what `writeSlots` wrote. A row that is missing or damaged has counted nothing. */
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
