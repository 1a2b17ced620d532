import type { Breaker } from '@/lib/counters/breaker';
import type { CounterChange, CounterSelection, CounterStore } from '@/lib/counters/store';

/**
 * A store whose every call goes through a breaker, except `ping`, which asks the store itself, and `sweep`, which comes
 * every second and often has nothing to write: its success says nothing of a store that decides nothing.
 */
export function guarded(store: CounterStore, breaker: Breaker): CounterStore {
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
    ping: () => store.ping(),
    close: () => store.close(),
  };
}
