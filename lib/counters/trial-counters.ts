import type { CounterChange, CounterSelection, CounterState, CounterStore } from '@/lib/counters/store';

const NOTHING: CounterChange = { kind: 'statements', statements: [] };

/**
 * Counters on which resets are tried: they are read as if those had been made, and nothing is changed. `mark` returns
 * what forgets all that is tried from then on.
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
    ...{ commit: refuse, refund: refuse, publish: refuse, sweep: refuse },
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
