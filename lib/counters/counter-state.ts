import type { CounterState } from '@/lib/counters/store';
import { type Counter, resetAt, settledAt, usedAt } from '@/lib/limiter/counter';
import type { Window } from '@/lib/limiter/meter';
import { monthStart, SLOTS, slotAt, slotStart } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A counter as the inspector shows it: the slots with hits that its window sees at `now`, oldest first. */
export function counterState(key: string, stored: Counter, window: Window, now: Millis): CounterState {
  const counter = settledAt(stored, window, now);
  const used = usedAt(counter, window, now);
  return { key, now, slots: visibleSlots(counter, window, now, used), used, reset: resetAt(counter, window, now) };
}

function visibleSlots(counter: Counter, window: Window, now: Millis, used: number): CounterState['slots'] {
  if (counter.kind === 'month') return used > 0 ? [{ start: monthStart(counter.month), hits: used }] : [];
  if (window.kind === 'month') return [];
  const present = slotAt(now, window.seconds);
  return counter.hits
    .map((hits, i) => ({ slot: counter.newest - i, hits }))
    .filter(({ slot, hits }) => hits > 0 && slot <= present && slot >= present - SLOTS)
    .reverse()
    .map(({ slot, hits }) => ({ start: slotStart(slot, window.seconds), hits }));
}
