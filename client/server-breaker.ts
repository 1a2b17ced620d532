import type { Clock } from '@/client/clock';

/** `closed`: requests are sent. `open`: they are not. `half-open`: one check tests whether the server is back. */
export type ReachState = 'closed' | 'open' | 'half-open';

export interface BreakerOptions {
  /** Consecutive failures that open it: failed requests, and checks that were not answered in time. Default: 5. */
  failures?: number;
  /** Milliseconds until a check may try again. Default: 2,000. */
  cooldown?: number;
}

/**
 * Stops requests to a server that failed several times in a row, and lets one check at a time test whether it is back.
 */
export class ServerBreaker {
  #state: ReachState = 'closed';
  #inARow = 0;
  #openedAt = 0;

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly onTurn: (state: ReachState) => void,
    private readonly options: BreakerOptions = {},
  ) {}

  get state(): ReachState {
    return this.#state;
  }

  /** True if a request may be sent. If this made it half-open, the outcome must be reported. */
  admitRequest(): boolean {
    if (this.#state === 'closed') return true;
    const { cooldown = 2_000 } = this.options;
    const waited = this.clock.now() - this.#openedAt;
    // A clock that went back must not keep it open.
    if (this.#state === 'half-open' || (waited >= 0 && waited < cooldown)) return false;
    this.#turn('half-open');
    return true;
  }

  reportAnswer(): void {
    this.#inARow = 0;
    if (this.#state === 'half-open') this.#turn('closed');
  }

  reportFailure(times = 1): void {
    const { failures = 5 } = this.options;
    if (this.#state === 'open') return;
    this.#inARow += times;
    if (this.#state === 'closed' && this.#inARow < failures) return;
    this.#openedAt = this.clock.now();
    this.#turn('open');
  }

  /** Ends a trial whose checks were all aborted, so that the next check tries again. */
  reportAbandoned(): void {
    if (this.#state === 'half-open') this.#turn('open');
  }

  #turn(state: ReachState): void {
    this.#state = state;
    this.#inARow = 0;
    this.onTurn(state);
  }
}
