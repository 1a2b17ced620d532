import { type CounterChange, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

/** Time in the state `open` before a trial call, in milliseconds. */
const COOLDOWN = 10_000;
/** Successful trial calls in a row that close the breaker. */
const SUCCESSES = 3;

/** `closed` admits every call, `open` none, `half-open` one trial call at a time. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Thrown in place of a call because the store has failed too often. */
export class BreakerOpen extends StoreUnavailable {}

/** A circuit breaker for a store. Only `StoreUnavailable` counts as a failure; any other error is an answer. */
export class Breaker {
  readonly #monotonic: () => Millis;
  readonly #failures: number;
  #state: BreakerState = 'closed';
  /** Number of state changes. A call that began under an earlier state is not counted. */
  #generation = 0;
  #inARow = 0;
  #openedAt: Millis = 0;
  #trialRunning = false;

  /** @param options `monotonic` is in milliseconds; `failures` in a row open the breaker, 5 by default */
  constructor({ monotonic, failures = 5 }: { monotonic: () => Millis; failures?: number }) {
    this.#monotonic = monotonic;
    this.#failures = failures;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Time until the next trial call, in milliseconds. 0 unless the breaker is open. */
  get retryIn(): Millis {
    return this.#state === 'open' ? Math.max(0, this.#openedAt + COOLDOWN - this.#monotonic()) : 0;
  }

  /** @throws BreakerOpen if the call was not made, or the errors of the call */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#admit();
    const generation = this.#generation;
    let answered = true;
    try {
      return await call();
    } catch (error) {
      answered = !(error instanceof StoreUnavailable);
      throw error;
    } finally {
      if (generation === this.#generation) this.#count(answered);
    }
  }

  #admit(): void {
    if (this.#state === 'open' && this.retryIn === 0) this.#turn('half-open');
    if (this.#state === 'open' || this.#trialRunning)
      throw new BreakerOpen('The counter store was down several times in a row.');
    this.#trialRunning = this.#state === 'half-open';
  }

  #count(answered: boolean): void {
    this.#trialRunning = false;
    if (this.#state === 'closed') {
      this.#inARow = answered ? 0 : this.#inARow + 1;
      if (this.#inARow >= this.#failures) this.#turn('open');
    } else if (!answered) this.#turn('open');
    else if (++this.#inARow >= SUCCESSES) this.#turn('closed');
  }

  #turn(state: BreakerState): void {
    this.#state = state;
    this.#generation++;
    this.#inARow = 0;
    this.#trialRunning = false;
    if (state === 'open') this.#openedAt = this.#monotonic();
  }
}

/**
 * Guards the calls of a store with a breaker. `ping` is exempt, because it checks the store itself. `sweep` is exempt
 * too: it often writes nothing, and would count as a success of a store that decides nothing.
 * @param monotonic clock in milliseconds
 */
export function guardStore(store: CounterStore, breaker: Breaker, monotonic: () => Millis): CounterStore {
  const guardChange = (change: CounterChange): CounterChange =>
    change.kind === 'action' ? { kind: 'action', run: () => breaker.run(change.run) } : change;
  return {
    kind: store.kind,
    get isCluster() {
      return store.isCluster === true;
    },
    commit: (...group) => breaker.run(() => store.commit(...group)),
    read: (counters) => breaker.run(() => store.read(counters)),
    listKeys: (prefix, limit) => breaker.run(() => store.listKeys(prefix, limit)),
    clear: (selection, kept) => guardChange(store.clear(selection, kept)),
    resetUsage: (counter, kept) => guardChange(store.resetUsage(counter, kept)),
    restore: (seq) => guardChange(store.restore(seq)),
    publish: (revision) => breaker.run(() => store.publish(revision)),
    sweep: (budget) => store.sweep(budget),
    // Readiness checks may come often, but writes must not, so a result is reused for a second.
    ping: reuseResult(() => store.ping(), 1_000, monotonic),
    close: () => store.close(),
  };
}

/** Shares a call among all callers while it runs, and for `ttl` milliseconds after it ended or failed. */
export function reuseResult<T>(call: () => Promise<T>, ttl: Millis, monotonic: () => Millis): () => Promise<T> {
  let latest: Promise<T> | null = null;
  let expires = Number.POSITIVE_INFINITY;
  const restartTimeToLive = () => {
    expires = monotonic() + ttl;
  };
  return () => {
    if (latest === null || monotonic() >= expires) {
      expires = Number.POSITIVE_INFINITY;
      latest = call();
      latest.then(restartTimeToLive, restartTimeToLive);
    }
    return latest;
  };
}
