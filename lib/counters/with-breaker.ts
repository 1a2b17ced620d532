import type { Breaker } from '@/lib/counters/breaker';
import { sparing } from '@/lib/counters/sparing';
import type { CounterChange, CounterSelection, CounterStore } from '@/lib/counters/store';

/** How long the outcome of a ping holds, in milliseconds: however often readiness is asked for, little is written. */
const PING_HOLDS = 1_000;

/**
 * A store whose every call goes through a breaker, except `ping`, which asks the store itself (once a second at most),
 * and `sweep`, which comes every second and often has nothing to write: its success says nothing of a store that decides
 * nothing.
 * @param monotonic a clock that never goes back, in milliseconds
 */
export function guarded(store: CounterStore, breaker: Breaker, monotonic: () => number): CounterStore {
  const change = (made: CounterChange): CounterChange => {
    return made.kind === 'action' ? { kind: 'action', run: () => breaker.run(made.run) } : made;
  };
  return {
    kind: store.kind,
    commit: (epoch, attempts) => breaker.run(() => store.commit(epoch, attempts)),
    read: (counters) => breaker.run(() => store.read(counters)),
    keys: (prefix, limit) => breaker.run(() => store.keys(prefix, limit)),
    clear: (selection: CounterSelection) => change(store.clear(selection)),
    forgive: (key) => change(store.forgive(key)),
    publish: (epoch) => breaker.run(() => store.publish(epoch)),
    sweep: (budget) => store.sweep(budget),
    ping: sparing(() => store.ping(), PING_HOLDS, monotonic),
    close: () => store.close(),
  };
}
