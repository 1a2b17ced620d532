import { BASE, OlderSlots } from '@/lib/limiter/older-slots';
import { createSliding, EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import { encodeDigit } from '@/lib/limiter/sliding-text';

/**
 * Formats the slots of a window for the embedded file, as JSON without brackets: the newest slot, its hits, and the
 * older slots as one text (`packed`), or as numbers if the text has no room for them. Every decision journals the slots
 * of its counters.
 */
export function formatSlots({ newest, latest, older }: SlidingCounter): string {
  if (older.length === 0) return `${newest},${latest}`;
  const hits = packOlder(older);
  return typeof hits === 'string' ? `${newest},${latest},"${hits}"` : `${newest},${latest},${hits.join(',')}`;
}

/** Packs the slots as text, for all states that share them. They stay numbers if the text has no room for them. */
export function packOlder(older: OlderSlots): OlderSlots['hits'] {
  if (typeof older.hits !== 'string') older.hits = packHits(older.hits);
  return older.hits;
}

/** Reads a parsed text of `formatSlots`. A missing or damaged one counts as empty. */
export function readSlotsList([newest, latest, ...older]: readonly unknown[]): SlidingCounter {
  if (typeof newest !== 'number' || !Number.isSafeInteger(newest) || !isCount(latest)) return EMPTY_SLIDING;
  const [first] = older;
  if (typeof first === 'string')
    return isPacked(first) ? { kind: 'sliding', newest, latest, older: new OlderSlots(first) } : EMPTY_SLIDING;
  return older.every(isCount) ? createSliding(newest, [latest, ...older]) : EMPTY_SLIDING;
}

const MOST_DIGITS = 3;

/**
 * Packs hits as an ASCII text, in a fraction of the memory of numbers: the number of digits per slot, then the digits.
 * JSON escapes none of its characters. Returns the numbers themselves if three digits are too few for one of them.
 */
function packHits(hits: readonly number[]): string | readonly number[] {
  let most = 0;
  for (let i = 0; i < hits.length; i += 1) most = Math.max(most, hits[i] ?? 0);
  let digits = 1;
  for (let room = BASE; room <= most; room *= BASE) digits += 1;
  if (digits > MOST_DIGITS) return hits;
  const units = [48 + digits];
  for (let i = 0; i < hits.length; i += 1) {
    const count = hits[i] ?? 0;
    if (digits > 2) units.push(encodeDigit(Math.trunc(count / BASE ** 2)));
    if (digits > 1) units.push(encodeDigit(Math.trunc(count / BASE) % BASE));
    units.push(encodeDigit(count % BASE));
  }
  return String.fromCharCode.apply(null, units);
}

function isPacked(text: string): boolean {
  return /^[1-3][#-[\]-~]*$/.test(text);
}

/** Returns whether a stored value is a whole number, at least 0. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
