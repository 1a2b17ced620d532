import { BACKSLASH, BASE, countDigits, NO_OLDER_SLOTS, OlderSlots, ZERO } from '@/lib/limiter/older-slots';
import { addToSliding, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import { SLOTS } from '@/lib/limiter/window';

/** Returns the character code of a digit of `OlderSlots`. */
export function encodeDigit(digit: number): number {
  return digit < BACKSLASH - ZERO ? digit + ZERO : digit + ZERO + 1;
}

const CHARACTERS = Array.from({ length: BASE }, (_, digit) => String.fromCharCode(encodeDigit(digit)));
const NO_HITS = String.fromCharCode(ZERO);

/**
 * Does the same as `addToSliding`, but faster. For a new slot it extends the text of the older slots if one digit per
 * slot suffices.
 */
export function addToSlidingText(counter: SlidingCounter, slot: number, cost: number): SlidingCounter {
  const { newest, latest, older } = counter;
  const later = slot - newest;
  if (later <= 0) return addToSliding(counter, slot, cost);
  let kept = Math.min(older.length, SLOTS - later);
  while (kept > 0 && older.at(kept - 1) === 0) kept -= 1;
  if (kept < 0 || (kept === 0 && latest === 0)) {
    return { kind: 'sliding', newest: slot, latest: cost, older: NO_OLDER_SLOTS };
  }
  const hits = kept === 0 ? '1' : older.hits;
  if (latest >= BASE || typeof hits !== 'string' || countDigits(hits) > 1) return addToSliding(counter, slot, cost);
  const text = `1${NO_HITS.repeat(later - 1)}${CHARACTERS[latest]}${hits.slice(1, 1 + kept)}`;
  let { sum } = older;
  // Without its dropped slots, the sum need not be added up again.
  for (let i = kept; i < older.length; i += 1) sum -= older.at(i);
  return { kind: 'sliding', newest: slot, latest: cost, older: new OlderSlots(text, sum + latest) };
}
