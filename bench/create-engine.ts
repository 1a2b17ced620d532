import { Breaker } from '../lib/counters/breaker';
import { MemoryCounters } from '../lib/counters/memory/store';
import type { CounterStore } from '../lib/counters/store';
import { Engine } from '../lib/enforcement/engine';
import type { Rules } from '../lib/enforcement/rules';
import type { RulesCache } from '../lib/enforcement/rules-cache';

/** Creates an engine without HTTP and without a database. @param rules rules that never change */
export function createEngine(store: CounterStore, rules: Rules, record: () => void = () => undefined): Engine {
  return new Engine({
    store,
    local: new MemoryCounters({ clock: Date.now }),
    breaker: new Breaker({ monotonic: () => performance.now() }),
    rules: { current: rules, refresh: async () => rules, readFresh: async () => rules } as unknown as RulesCache,
    clock: Date.now,
    record,
    groups: {},
    onStoreFailure: (error) => {
      throw error;
    },
  });
}
