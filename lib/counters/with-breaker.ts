import type { Breaker } from '@/lib/counters/breaker';
import type { CounterChange, CounterStore } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

/** How long the result of a ping is reused, in milliseconds: readiness checks may come often, writes must not. */
const PING_TTL = 1_000;

/**
 * A store whose calls go through a breaker, but for two: `ping` asks the store itself, and `sweep`, which often has
 * nothing to write, would count as a success of a store that decides nothing.
 * @param monotonic in milliseconds
 */
export function withBreaker(store: CounterStore, breaker: Breaker, monotonic: () => Millis): CounterStore {
  const guarded = (change: CounterChange): CounterChange => {
    return change.kind === 'action' ? { kind: 'action', run: () => breaker.run(change.run) } : change;
  };
  return {
    kind: store.kind,
    commit: (revision, attempts) => breaker.run(() => store.commit(revision, attempts)),
    read: (counters) => breaker.run(() => store.read(counters)),
    listKeys: (prefix, limit) => breaker.run(() => store.listKeys(prefix, limit)),
    clear: (selection) => guarded(store.clear(selection)),
    resetUsage: (key) => guarded(store.resetUsage(key)),
    publish: (revision) => breaker.run(() => store.publish(revision)),
    sweep: (budget) => store.sweep(budget),
    ping: reuseResult(() => store.ping(), PING_TTL, monotonic),
    close: () => store.close(),
  };
}

/** Shares a call with everyone who makes it while it runs, and for `ttl` milliseconds after it ended or failed. */
export function reuseResult<T>(call: () => Promise<T>, ttl: Millis, monotonic: () => Millis): () => Promise<T> {
  let latest: Promise<T> | null = null;
  let expires = Number.POSITIVE_INFINITY;
  const ended = () => {
    expires = monotonic() + ttl;
  };
  return () => {
    if (latest === null || monotonic() >= expires) {
      expires = Number.POSITIVE_INFINITY;
      latest = call();
      latest.then(ended, ended);
    }
    return latest;
  };
}
