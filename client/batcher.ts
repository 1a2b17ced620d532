import type { CheckAnswer } from '@/client/check-answer';
import type { Clock } from '@/client/clock';
import { SluiceError } from '@/client/error';
import type { OnCancel } from '@/client/exchange';

export interface BatchOptions {
  /** Most checks in one request, 1 to 1,000. 1,000 */
  size?: number;
  /** Milliseconds that a check waits for others. Without it, a request takes the checks of one turn of the event loop. */
  delay?: number;
  /** Most requests under way; checks wait for the next. 4 */
  requests?: number;
}

/** What became of a check: an answer of the server, or why there is none. */
export type Outcome = CheckAnswer | SluiceError;

/** A check that waits for its outcome. */
export interface Waiting {
  readonly text: string;
  readonly deadline: number;
  readonly settle: (outcome: Outcome) => void;
  request: Request | null;
  settled: boolean;
}

/** A request under way. */
interface Request {
  readonly batch: readonly Waiting[];
  readonly start: number;
  /** How many still wait for it. */
  waiting: number;
  /** Break off what was sent. */
  readonly cancels: (() => void)[];
}

interface BatcherOptions extends Required<Pick<BatchOptions, 'size' | 'requests'>> {
  /** Checks that are worth a request of their own, beside two that are under way; fewer are not divided. */
  part: number;
  /** Milliseconds after which the checks of a turn do not wait for its end any more. */
  longTurn: number;
  send: (texts: readonly string[], onCancel: OnCancel) => Promise<Outcome[]>;
  /** Milliseconds that a check may wait in all. */
  timeout: number;
  clock: Clock;
  /** Runs an action when the checks of this turn have been asked, or after the delay. */
  schedule: (action: () => void) => void;
  /** Runs an action when the checks of this turn have been asked. */
  afterTurn: (action: () => void) => void;
  /** The outcome of each request; `null`: nobody waited for it any more. */
  ended: (failure: SluiceError | 'answered' | null, checks: number, milliseconds: number) => void;
}

/** UTF-16 units in one body: at most 3 bytes each, in 1 MiB. */
const MAX_TEXT = 340_000;

/**
 * Collects checks into requests. The checks of a turn are one request, or several of at least `part` each; in a turn that takes
 * long, as one that reads many requests of an application does, they leave meanwhile. So the server decides some while this
 * process asks for others. Each check has its own deadline, wherever it waits; one timer serves all.
 */
export class Batcher {
  #queue: Waiting[] = [];
  readonly #requests = new Set<Request>();
  #unsettled = 0;
  /** When the checks of this turn began to wait for its end; null while none does. */
  #since: number | null = null;
  #cancelTimer: (() => void) | null = null;
  /** When the timer wakes this up. */
  #wakesAt = 0;

  constructor(private readonly options: BatcherOptions) {}

  add(text: string, settle: (outcome: Outcome) => void): Waiting {
    const { clock, timeout, longTurn, requests } = this.options;
    const now = clock.now();
    const waiting: Waiting = { text, deadline: now + timeout, settle, request: null, settled: false };
    this.#queue.push(waiting);
    this.#unsettled += 1;
    if (this.#cancelTimer === null) this.#wakeAfter(timeout);
    else if (this.#unsettled % MANY === 0) this.#wakeAfter(Math.max(0, this.#wakesAt - MANY_EARLIER - now));
    if (this.#since === null) {
      this.#since = now;
      this.options.schedule(this.#flushScheduled);
    } else if (now - this.#since >= longTurn && this.#requests.size < requests) {
      this.#since = now;
      this.#sendNext();
    }
    return waiting;
  }

  /** Takes a check back. The request that only it waited for is broken off. */
  drop(waiting: Waiting): void {
    this.#settle(waiting, null);
    if (waiting.request?.waiting === 0) this.#end(waiting.request, null);
  }

  /** Settles all checks that wait, in the queue and for requests. */
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
    while (this.#mayFlush()) this.#sendNext();
  };

  #mayFlush(): boolean {
    const [{ length }, { size: underWay }, { requests, part }] = [this.#queue, this.#requests, this.options];
    return length > 0 && underWay < requests && (underWay < 2 || length >= part);
  }

  #sendNext(): void {
    const batch = this.#take();
    if (batch.length > 0) this.#send(batch);
  }

  /** Divides the queue evenly over the requests that may be made. */
  #take(): Waiting[] {
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

  /** Of a request that has ended already, nothing. Its outcome is told before others take its place. */
  #end(request: Request, outcome: SluiceError | 'answered' | null): void {
    if (!this.#requests.delete(request)) return;
    if (outcome !== 'answered') for (const cancel of request.cancels) cancel();
    const { batch, start } = request;
    this.options.ended(outcome, batch.length, this.options.clock.now() - start);
    // Those who got an answer may ask again within this turn.
    this.options.afterTurn(this.#flush);
  }

  /** @param outcome null where nobody wants it */
  #settle(waiting: Waiting, outcome: Outcome | null): void {
    if (waiting.settled) return;
    waiting.settled = true;
    if (waiting.request !== null) waiting.request.waiting -= 1;
    this.#unsettled -= 1;
    // No timer keeps a process alive while nobody waits.
    if (this.#unsettled === 0) this.#wakeAfter(null);
    if (outcome !== null) waiting.settle(outcome);
  }

  #wakeAfter(milliseconds: number | null): void {
    const { clock } = this.options;
    this.#cancelTimer?.();
    this.#cancelTimer = milliseconds === null ? null : clock.after(milliseconds, this.#expire);
    this.#wakesAt = clock.now() + (milliseconds ?? 0);
  }

  /** How long before their time checks are given up: to answer many takes the application a while. */
  #earlier(): number {
    return Math.min(Math.floor(this.#unsettled / MANY) * MANY_EARLIER, this.options.timeout / 5);
  }

  #expire = () => {
    const { clock, timeout } = this.options;
    this.#cancelTimer = null;
    const now = clock.now();
    const due = now + this.#earlier();
    const error = new SluiceError('timeout', `The server did not answer within ${timeout} ms.`);
    let next = Number.POSITIVE_INFINITY;
    const expire = (waiting: Waiting) => {
      // Further away than the timeout only by a clock that went back.
      if (waiting.deadline <= due || waiting.deadline > now + timeout) this.#settle(waiting, error);
      else if (!waiting.settled) next = Math.min(next, waiting.deadline);
    };
    this.#queue.forEach(expire);
    this.#queue = this.#queue.filter(({ settled }) => !settled);
    for (const request of this.#requests) {
      request.batch.forEach(expire);
      if (request.waiting === 0) this.#end(request, error);
    }
    if (Number.isFinite(next)) this.#wakeAfter(Math.max(0, next - this.#earlier() - now));
  };
}

/** For every so many checks that wait, all are given up so many milliseconds earlier, at most a fifth of the time-out. */
const MANY = 50;
const MANY_EARLIER = 10;

const NO_CONNECTION = 'The server could not be reached.';
const NO_OUTCOME = new SluiceError('unexpected_answer', 'The server answered fewer decisions than were asked for.');
