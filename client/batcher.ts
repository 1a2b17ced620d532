import type { CheckAnswer } from '@/client/check-answer';
import type { Clock } from '@/client/clock';
import { SluiceError } from '@/client/error';
import type { OnCancel } from '@/client/exchange';

export interface BatchOptions {
  /** Maximum number of checks in one request, 1 to 1,000. Default: 1,000. */
  size?: number;
  /** Milliseconds that a check waits for others. By default, a request takes the checks of one event-loop turn. */
  delay?: number;
  /** Maximum number of concurrent requests. Further checks wait. Default: 4. */
  requests?: number;
}

/** Outcome of a check: the server's answer, or an error. */
export type Outcome = CheckAnswer | SluiceError;

/** A check that waits for its outcome. */
export interface Waiting {
  readonly text: string;
  readonly deadline: number;
  readonly settle: (outcome: Outcome) => void;
  request: Request | null;
  settled: boolean;
}

/** A request in flight. */
interface Request {
  readonly batch: readonly Waiting[];
  readonly start: number;
  /** Number of checks that still wait for it. */
  waiting: number;
  /** Functions that abort what was sent. */
  readonly cancels: (() => void)[];
}

interface BatcherOptions extends Required<Pick<BatchOptions, 'size' | 'requests'>> {
  /** Minimum number of checks for an additional request while two are in flight. Fewer checks are not split. */
  part: number;
  /** Milliseconds after which the checks of a turn are sent before the turn ends. */
  longTurn: number;
  send: (texts: readonly string[], onCancel: OnCancel) => Promise<Outcome[]>;
  /** Maximum wait of a check, in milliseconds. */
  timeout: number;
  clock: Clock;
  /** Runs an action after the checks of this turn were added, or after the delay. */
  schedule: (action: () => void) => void;
  /** Runs an action after the checks of this turn were added. */
  afterTurn: (action: () => void) => void;
  /** Receives the outcome of each request. `null` means that all its checks had ended before it. */
  onEnd: (failure: SluiceError | 'answered' | null, checks: number, milliseconds: number) => void;
}

/** Maximum UTF-16 units in one body: at most 3 bytes each, within 1 MiB. */
const MAX_TEXT = 340_000;

/**
 * Collects checks into requests. The checks of a turn become one request, or several of at least `part` checks each. In
 * a long turn, for example one that reads many requests, they are sent early, so that the server works concurrently.
 * Each check has its own deadline; one timer serves all of them.
 */
export class Batcher {
  #queue: Waiting[] = [];
  readonly #requests = new Set<Request>();
  #unsettled = 0;
  /** Time at which the checks of this turn began to wait. Null if none wait. */
  #since: number | null = null;
  #cancelTimer: (() => void) | null = null;
  /** Time at which the timer fires. */
  #wakesAt = 0;

  constructor(private readonly options: BatcherOptions) {}

  add(text: string, settle: (outcome: Outcome) => void): Waiting {
    const { clock, timeout, longTurn, requests } = this.options;
    const now = clock.now();
    const waiting: Waiting = { text, deadline: now + timeout, settle, request: null, settled: false };
    this.#queue.push(waiting);
    this.#unsettled += 1;
    if (this.#cancelTimer === null) this.#flushAfter(timeout);
    else if (this.#unsettled % MANY === 0) this.#flushAfter(Math.max(0, this.#wakesAt - MANY_EARLIER - now));
    if (this.#since === null) {
      this.#since = now;
      this.options.schedule(this.#flushScheduled);
    } else if (now - this.#since >= longTurn && this.#requests.size < requests) {
      this.#since = now;
      this.#sendNext();
    }
    return waiting;
  }

  /** Removes a check. A request that no other check waits for is aborted. */
  drop(waiting: Waiting): void {
    this.#settle(waiting, null);
    if (waiting.request?.waiting === 0) this.#end(waiting.request, null);
  }

  /** Settles all waiting checks with an error, queued or sent. */
  failAll(error: SluiceError): void {
    for (const waiting of this.#queue.splice(0)) this.#settle(waiting, error);
    for (const request of this.#requests) {
      for (const waiting of request.batch) this.#settle(waiting, error);
      this.#end(request, null);
    }
  }

  #flushScheduled = () => {
    this.#since = null;
    this.#flush();
  };

  #flush = () => {
    while (this.#canFlush()) this.#sendNext();
  };

  /** Returns whether a request may start. The first two start with any check, further ones only with a full part. */
  #canFlush(): boolean {
    const { requests, part } = this.options;
    const { size: underWay } = this.#requests;
    const { length } = this.#queue;
    return length > 0 && underWay < requests && (underWay < 2 || length >= part);
  }

  #sendNext(): void {
    const batch = this.#takeBatch();
    if (batch.length > 0) this.#send(batch);
  }

  /** Takes an even share of the queue for each available request. */
  #takeBatch(): Waiting[] {
    const { size, part, requests } = this.options;
    const share = Math.ceil(this.#queue.length / (requests - this.#requests.size));
    const most = Math.min(size, Math.max(part, share));
    const batch: Waiting[] = [];
    let taken = 0;
    let length = 0;
    for (const waiting of this.#queue) {
      if (batch.length >= most || (batch.length > 0 && length + waiting.text.length > MAX_TEXT)) break;
      taken += 1;
      if (waiting.settled) continue;
      batch.push(waiting);
      length += waiting.text.length + 1;
    }
    this.#queue = taken === this.#queue.length ? [] : this.#queue.slice(taken);
    return batch;
  }

  #send(batch: readonly Waiting[]): void {
    const { send, clock } = this.options;
    const request: Request = { batch, start: clock.now(), waiting: batch.length, cancels: [] };
    this.#requests.add(request);
    for (const waiting of batch) waiting.request = request;
    send(
      batch.map(({ text }) => text),
      (cancel) => {
        if (this.#requests.has(request)) request.cancels.push(cancel);
        else cancel();
      },
    ).then(
      (outcomes) => {
        for (let i = 0; i < batch.length; i += 1) {
          const waiting = batch[i];
          if (waiting !== undefined) this.#settle(waiting, outcomes[i] ?? NO_OUTCOME);
        }
        this.#end(request, 'answered');
      },
      (fault: unknown) => {
        const error =
          fault instanceof SluiceError ? fault : new SluiceError('unreachable', NO_CONNECTION, { cause: fault });
        for (const waiting of batch) this.#settle(waiting, error);
        this.#end(request, error);
      },
    );
  }

  /** Ends a request once. Its outcome is reported before the next request starts. */
  #end(request: Request, outcome: SluiceError | 'answered' | null): void {
    if (!this.#requests.delete(request)) return;
    if (outcome !== 'answered') for (const cancel of request.cancels) cancel();
    const { batch, start } = request;
    this.options.onEnd(outcome, batch.length, this.options.clock.now() - start);
    // Callers that got an answer may add checks within this turn.
    this.options.afterTurn(this.#flush);
  }

  /** @param outcome null if the caller no longer waits */
  #settle(waiting: Waiting, outcome: Outcome | null): void {
    if (waiting.settled) return;
    waiting.settled = true;
    if (waiting.request !== null) waiting.request.waiting -= 1;
    this.#unsettled -= 1;
    // The timer is cancelled if no check waits, so that it never keeps the process alive.
    if (this.#unsettled === 0) this.#flushAfter(null);
    if (outcome !== null) waiting.settle(outcome);
  }

  #flushAfter(milliseconds: number | null): void {
    const { clock } = this.options;
    this.#cancelTimer?.();
    this.#cancelTimer = milliseconds === null ? null : clock.after(milliseconds, this.#expire);
    this.#wakesAt = clock.now() + (milliseconds ?? 0);
  }

  /** Returns how much earlier checks time out, because answering many takes the application a while. */
  #computeLead(): number {
    return Math.min(Math.floor(this.#unsettled / MANY) * MANY_EARLIER, this.options.timeout / 5);
  }

  #expire = () => {
    const { clock, timeout } = this.options;
    this.#cancelTimer = null;
    const now = clock.now();
    const due = now + this.#computeLead();
    const error = new SluiceError('timeout', `The server did not answer within ${timeout} ms.`);
    let next = Number.POSITIVE_INFINITY;
    const expire = (waiting: Waiting) => {
      // A deadline beyond the timeout means that the clock went back.
      if (waiting.deadline <= due || waiting.deadline > now + timeout) this.#settle(waiting, error);
      else if (!waiting.settled) next = Math.min(next, waiting.deadline);
    };
    this.#queue.forEach(expire);
    this.#queue = this.#queue.filter(({ settled }) => !settled);
    for (const request of this.#requests) {
      request.batch.forEach(expire);
      if (request.waiting === 0) this.#end(request, error);
    }
    if (Number.isFinite(next)) this.#flushAfter(Math.max(0, next - this.#computeLead() - now));
  };
}

/** Milliseconds by which all checks time out earlier per `MANY` waiting checks, up to a fifth of the timeout. */
const MANY = 50;
const MANY_EARLIER = 10;

const NO_CONNECTION = 'The server could not be reached.';
const NO_OUTCOME = new SluiceError('unexpected_answer', 'The server answered fewer decisions than were asked for.');
