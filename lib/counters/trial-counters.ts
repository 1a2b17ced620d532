import type { CounterChange, CounterSelection, CounterState, CounterStore } from '@/lib/counters/store';

const NOTHING: CounterChange = { kind: 'statements', statements: [] };

/**
 * Creates counters for trial resets: later reads show the effect of a reset, but nothing is stored. `mark` returns a
 * function that undoes all trials made after it.
 */
export function createTrialCounters(store: CounterStore): CounterStore & { mark(): () => void } {
  const cleared: CounterSelection[] = [];
  const isCleared = (key: string) =>
    cleared.some((selection) =>
      'keys' in selection ? selection.keys.includes(key) : key.startsWith(selection.prefix),
    );
  return {
    mark: () => {
      const { length } = cleared;
      return () => {
        cleared.length = length;
      };
    },
    kind: store.kind,
    ...(store.isCluster === undefined ? {} : { isCluster: store.isCluster }),
    async read(counters) {
      const states = await store.read(counters);
      return states.map((state) => (isCleared(state.key) ? clearState(state) : state));
    },
    async listKeys(prefix, limit) {
      const listed = cleared.reduce((sum, part) => sum + ('keys' in part ? part.keys.length : 0), limit);
      const keys = await store.listKeys(prefix, listed);
      return keys.filter((key) => !isCleared(key)).slice(0, limit);
    },
    clear(selection) {
      cleared.push(selection);
      return NOTHING;
    },
    resetUsage({ key }) {
      cleared.push({ keys: [key] });
      return NOTHING;
    },
    restore: () => NOTHING,
    ...{ commit: refuse, publish: refuse, sweep: refuse },
    ping: () => store.ping(),
    close: refuse,
  };
}

function clearState(state: CounterState): CounterState {
  return { ...state, slots: [], used: 0 };
}

function refuse(): never {
  throw new Error('A trial counts nothing.');
}
