import { BACKSLASH, BASE, countDigits, NO_OLDER_SLOTS, OlderSlots, ZERO } from '@/lib/limiter/older-slots';
import { addSaturating, addToSliding, countSliding, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import { SLOTS } from '@/lib/limiter/window';

/** Returns the character code of a digit of `OlderSlots`. */
export function encodeDigit(digit: number): number {
  return digit < BACKSLASH - ZERO ? digit + ZERO : digit + ZERO + 1;
}

const CHARACTERS = Array.from({ length: BASE }, (_, digit) => String.fromCharCode(encodeDigit(digit)));
const NO_HITS = String.fromCharCode(ZERO);

/** Sums the hits of the first slots. Subtracts the others, which are usually few. Requires a sum below 2^53 - 1. */
function sumFirst(older: OlderSlots, count: number): number {
  let sum = sumAll(older);
  for (let i = count; i < older.length; i += 1) sum -= older.at(i);
  return sum;
}

function sumAll(older: OlderSlots): number {
  if (older.sum >= 0) return older.sum;
  let sum = 0;
  for (let i = 0; i < older.length; i += 1) sum = addSaturating(sum, older.at(i));
  older.sum = sum;
  return sum;
}

/** Does the same as `countSliding`, but faster, by the sum of the older slots. */
export function countSlidingText(counter: SlidingCounter, slot: number): number {
  const { newest, latest, older } = counter;
  const seen = newest - slot + SLOTS;
  if (newest > slot || seen < 0 || sumAll(older) === Number.MAX_SAFE_INTEGER) return countSliding(counter, slot);
  return addSaturating(latest, sumFirst(older, seen));
}

/**
 * Does the same as `addToSliding`, but faster. For a new slot it extends the text of the older slots if one digit per
 * slot suffices.
 */
export function addToSlidingText(counter: SlidingCounter, slot: number, cost: number): SlidingCounter {
  const { newest, latest, older } = counter;
  const later = slot - newest;
  if (later <= 0) return addToSliding(counter, slot, cost);
  let length = Math.min(older.length, SLOTS - later);
  while (length > 0 && older.at(length - 1) === 0) length -= 1;
  if (length < 0 || (length === 0 && latest === 0)) {
    return { kind: 'sliding', newest: slot, latest: cost, older: NO_OLDER_SLOTS };
  }
  const hits = length === 0 ? '1' : older.hits;
  if (latest >= BASE || typeof hits !== 'string' || countDigits(hits) > 1) return addToSliding(counter, slot, cost);
  const text = `1${NO_HITS.repeat(later - 1)}${CHARACTERS[latest]}${hits.slice(1, 1 + length)}`;
  return { kind: 'sliding', newest: slot, latest: cost, older: new OlderSlots(text, sumFirst(older, length) + latest) };
}
