import { formatSlots, readSlotsList } from '@/lib/counters/slots-text';
import type { CounterState } from '@/lib/counters/store';
import { type Counter, countUsed, findReset, settleCounter } from '@/lib/limiter/counter';
import type { Window } from '@/lib/limiter/meter';
import { createSliding, EMPTY_SLIDING, listHits, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import {
  computeCalendarMonth,
  computeSlot,
  computeSlotStart,
  computeStartOfMonth,
  SLOTS,
  VISIBLE_SLOTS,
} from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Converts a counter for the inspector: the slots with hits that its window covers at `now`, oldest first. */
export function buildCounterState(key: string, stored: Counter, window: Window, now: Millis): CounterState {
  const counter = settleCounter(stored, window, now);
  const used = countUsed(counter, window, now);
  return {
    key,
    now,
    slots: listVisibleSlots(counter, window, now, used),
    used,
    reset: findReset(counter, window, now),
  };
}

function listVisibleSlots(counter: Counter, window: Window, now: Millis, used: number): CounterState['slots'] {
  if (window.kind === 'month')
    return used > 0
      ? [{ start: computeStartOfMonth(computeCalendarMonth(now, window.anchor), window.anchor), hits: used }]
      : [];
  if (counter.kind === 'month') return [];
  const present = computeSlot(now, window.seconds);
  return listHits(counter)
    .map((hits, i) => ({ slot: counter.newest - i, hits }))
    .filter(({ slot, hits }) => hits > 0 && slot <= present && slot >= present - SLOTS)
    .reverse()
    .map(({ slot, hits }) => ({ start: computeSlotStart(slot, window.seconds), hits }));
}

/**
 * Creates a window from `[slot, hits]` pairs, oldest first. Damaged pairs count as empty, and so do pairs that no window
 * covers. The newest slot can be up to a window ahead, if the clock has gone back.
 */
export function createFromSlots(pairs: readonly (readonly unknown[])[]): SlidingCounter {
  const newest = Number(pairs.at(-1)?.[0]);
  if (!Number.isSafeInteger(newest)) return EMPTY_SLIDING;
  const hits: number[] = [];
  for (const [slot, count] of pairs) {
    const age = newest - Number(slot);
    if (age >= 0 && age < SLOTS + VISIBLE_SLOTS) hits[age] = Number(count);
  }
  return createSliding(
    newest,
    Array.from(hits, (count) => count ?? 0),
  );
}

/** Formats a window for the embedded file. See `formatSlots`. */
export function writeSlots(counter: SlidingCounter): string {
  return `[${formatSlots(counter)}]`;
}

/** Parses the text of `writeSlots`. A missing or damaged text counts as empty. */
export function readSlots(text: string | null): SlidingCounter {
  try {
    const list: unknown = text === null ? null : JSON.parse(text);
    return Array.isArray(list) ? readSlotsList(list) : EMPTY_SLIDING;
  } catch {
    return EMPTY_SLIDING;
  }
}
