import { createFromSlots } from '@/lib/counters/counter-state';
import type { CounterRef, CounterState, CounterStore } from '@/lib/counters/store';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Verdict, Window } from '@/lib/limiter/meter';
import { computeCalendarMonth, computeSlot } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/**
 * Returns the verdicts that `commit` would give now, attempt after attempt, by `evaluateGroup` on the current counters.
 * Counts nothing. An attempt of cost 0 reads its counters.
 * @param clock time for attempts without any counter; otherwise the time is the store's
 * @throws RangeError like `evaluateGroup`
 * @throws StoreUnavailable
 */
export async function peek(
  store: Pick<CounterStore, 'read'>,
  attempts: readonly Attempt[],
  clock: () => Millis,
): Promise<{ now: Millis; verdicts: readonly Verdict[] }> {
  const refs = new Map<string, CounterRef>();
  for (const { key, window } of attempts.flatMap(({ meters }) => meters)) refs.set(key, { key, window });
  const needed = [...refs.values()];
  const states = needed.length === 0 ? [] : await store.read(needed);
  const now = states[0]?.now ?? clock();
  const counters = new Map<string, Counter>();
  for (const [index, { key, window }] of needed.entries()) {
    const state = states[index];
    if (state !== undefined) counters.set(key, restoreCounter(state, window));
  }
  return { now, verdicts: evaluateGroup(attempts, now, counters).verdicts };
}

/** Converts a state back to a counter, as far as its window covers it. */
function restoreCounter({ now, slots, used }: CounterState, window: Window): Counter {
  if (window.kind === 'month')
    return { kind: 'month', month: computeCalendarMonth(now, window.anchor), hits: used, floor: 0 };
  return createFromSlots(slots.map(({ start, hits }) => [computeSlot(start, window.seconds), hits]));
}
