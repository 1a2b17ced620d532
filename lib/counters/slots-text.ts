import { isPackedHits, OlderSlots } from '@/lib/limiter/older-slots';
import { EMPTY_SLIDING, type SlidingCounter, slidingFromHits } from '@/lib/limiter/sliding-counter';

/**
 * The slots of a window as the embedded file keeps them, in JSON without its brackets: the newest slot, the hits in it, and
 * those of the slots before as one text (`packedHits`), or as numbers where that has no room for them. Every decision
 * journals those of its counters.
 */
export function slotsText({ newest, latest, older }: SlidingCounter): string {
  if (older.length === 0) return `${newest},${latest}`;
  const { hits } = older;
  return typeof hits === 'string' ? `${newest},${latest},"${hits}"` : `${newest},${latest},${hits.join(',')}`;
}

/** Reads what `slotsText` wrote, out of JSON. What is missing or damaged has counted nothing. */
export function readSlotsList([newest, latest, ...older]: readonly unknown[]): SlidingCounter {
  if (typeof newest !== 'number' || !Number.isSafeInteger(newest) || !isCount(latest)) return EMPTY_SLIDING;
  const [first] = older;
  if (typeof first === 'string')
    return isPackedHits(first) ? { kind: 'sliding', newest, latest, older: new OlderSlots(first) } : EMPTY_SLIDING;
  return older.every(isCount) ? slidingFromHits(newest, [latest, ...older]) : EMPTY_SLIDING;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
