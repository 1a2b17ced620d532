import { StoreUnavailable } from '@/lib/counters/store';

export interface BreakerOptions {
  /** A clock that never goes back, in milliseconds. */
  monotonic: () => number;
  /** Failures in a row that open it; 5 by default. */
  failures?: number;
  /** How long it stays open before a call is tried, in milliseconds; 10,000 by default. */
  cooldown?: number;
  /** Tries in a row that have to succeed before it closes; 3 by default. */
  successes?: number;
}

/** `closed` lets every call through, `open` none, `half-open` one at a time. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A call that was not made because the store has failed too often. */
export class BreakerOpen extends StoreUnavailable {}

/**
 * A circuit breaker around a store. Only `StoreUnavailable` is a failure of the store; every other error means that it
 * has answered.
 */
export class Breaker {
  readonly #monotonic: () => number;
  readonly #failures: number;
  readonly #cooldown: number;
  readonly #successes: number;
  #state: BreakerState = 'closed';
  /** Raised with every change of state: what was begun before does not count after. */
  #era = 0;
  #inARow = 0;
  #openedAt = 0;
  #trying = false;

  constructor({ monotonic, failures = 5, cooldown = 10_000, successes = 3 }: BreakerOptions) {
    this.#monotonic = monotonic;
    this.#failures = failures;
    this.#cooldown = cooldown;
    this.#successes = successes;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** How long until a call is tried again, in milliseconds; 0 unless it is open. */
  get retryIn(): number {
    return this.#state === 'open' ? Math.max(0, this.#openedAt + this.#cooldown - this.#monotonic()) : 0;
  }

  /**
   * Makes the call, or refuses to.
   * @throws BreakerOpen when the call was not made
   * @throws what the call throws
   */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#admit();
    const era = this.#era;
    let answered = true;
    try {
      return await call();
    } catch (error) {
      answered = !(error instanceof StoreUnavailable);
      throw error;
    } finally {
      if (era === this.#era) this.#count(answered);
    }
  }

  #admit(): void {
    if (this.#state === 'open' && this.retryIn === 0) this.#turn('half-open');
    if (this.#state === 'open' || this.#trying)
      throw new BreakerOpen('The counters were out of reach several times in a row.');
    this.#trying = this.#state === 'half-open';
  }

  #count(answered: boolean): void {
    this.#trying = false;
    if (this.#state === 'closed') {
      this.#inARow = answered ? 0 : this.#inARow + 1;
      if (this.#inARow >= this.#failures) this.#turn('open');
      return;
    }
    if (!answered) this.#turn('open');
    else if (++this.#inARow >= this.#successes) this.#turn('closed');
  }

  #turn(state: BreakerState): void {
    this.#state = state;
    this.#era++;
    this.#inARow = 0;
    this.#trying = false;
    if (state === 'open') this.#openedAt = this.#monotonic();
  }
}
