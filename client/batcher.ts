import type { CheckAnswer } from '@/client/check-answer';
import type { Clock } from '@/client/clock';
import { SluiceError } from '@/client/error';

export interface BatchOptions {
  /** Most checks in one request, 1 to 1,000. 1,000 */
  size?: number;
  /** Milliseconds that a check waits for others. Without it, a request takes the checks of one turn of the event loop. */
  delay?: number;
  /** Most requests under way; checks wait for the next. 2 */
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

/** A request under way, and how many still wait for it. */
interface Request {
  readonly abort: AbortController;
  waiting: number;
  ended: boolean;
}

interface BatcherOptions extends BatchOptions {
  send: (texts: readonly string[], signal: AbortSignal) => Promise<Outcome[]>;
  /** Milliseconds that a check may wait in all. */
  timeout: number;
  clock: Clock;
  /** Runs an action when the checks of this turn have been asked. */
  schedule: (action: () => void) => void;
  /** The outcome of each request; `null`: nobody waited for it any more. */
  ended: (failure: SluiceError | 'answered' | null, checks: number, milliseconds: number) => void;
}

/** UTF-16 units in one body: at most 3 bytes each, in 1 MiB. */
const MAX_TEXT = 340_000;

/** Collects checks into requests. Each check has its own deadline, wherever it waits; one timer serves them all. */
export class Batcher {
  #queue: Waiting[] = [];
  /** In the order of their deadlines; those that are settled stay until they come first, or are too many. */
  #deadlines: Waiting[] = [];
  #unsettled = 0;
  #underWay = 0;
  #scheduled = false;
  #cancelTimer: (() => void) | null = null;

  constructor(private readonly options: BatcherOptions) {}

  add(text: string, settle: (outcome: Outcome) => void): Waiting {
    const { clock, timeout } = this.options;
    const waiting: Waiting = { text, deadline: clock.now() + timeout, settle, request: null, settled: false };
    this.#queue.push(waiting);
    if (this.#deadlines.length > 4 * this.#unsettled + 1_000) {
      this.#deadlines = this.#deadlines.filter(({ settled }) => !settled);
    }
    this.#deadlines.push(waiting);
    this.#unsettled += 1;
    this.#cancelTimer ??= clock.after(timeout, this.#expire);
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.options.schedule(this.#flushTurn);
    }
    return waiting;
  }

  /** Takes a check back. The request that only it waited for is aborted. */
  drop(waiting: Waiting): void {
    this.#settle(waiting, null, null);
  }

  /** Settles all checks that no request has taken yet. */
  failQueued(error: SluiceError): void {
    for (const waiting of this.#queue.splice(0)) this.#settle(waiting, error, null);
  }

  #flushTurn = () => {
    this.#scheduled = false;
    this.#flush();
  };

  #flush(): void {
    const { requests = 2 } = this.options;
    while (this.#queue.length > 0 && this.#underWay < requests) {
      const batch = this.#take();
      if (batch.length > 0) this.#send(batch);
    }
  }

  #take(): Waiting[] {
    const { size = 1_000 } = this.options;
    const batch: Waiting[] = [];
    let taken = 0;
    let length = 0;
    for (const waiting of this.#queue) {
      if (batch.length >= size || (batch.length > 0 && length + waiting.text.length > MAX_TEXT)) break;
      taken += 1;
      if (waiting.settled) continue;
      batch.push(waiting);
      length += waiting.text.length + 1;
    }
    this.#queue = taken === this.#queue.length ? [] : this.#queue.slice(taken);
    return batch;
  }

  #send(batch: readonly Waiting[]): void {
    const { send, clock, ended } = this.options;
    const request: Request = { abort: new AbortController(), waiting: batch.length, ended: false };
    const start = clock.now();
    this.#underWay += 1;
    for (const waiting of batch) waiting.request = request;
    const end = (failure: SluiceError | 'answered' | null) => {
      if (request.ended) return;
      request.ended = true;
      this.#underWay -= 1;
      ended(failure, batch.length, clock.now() - start);
      this.#flush();
    };
    request.abort.signal.addEventListener('abort', () => {
      end(request.abort.signal.reason instanceof SluiceError ? request.abort.signal.reason : null);
    });
    send(
      batch.map(({ text }) => text),
      request.abort.signal,
    ).then(
      (outcomes) => {
        for (const [i, waiting] of batch.entries()) this.#settle(waiting, outcomes[i] ?? NO_OUTCOME, null);
        end('answered');
      },
      (fault: unknown) => {
        const error =
          fault instanceof SluiceError ? fault : new SluiceError('unreachable', NO_CONNECTION, { cause: fault });
        for (const waiting of batch) this.#settle(waiting, error, null);
        end(error);
      },
    );
  }

  /** @param outcome null where nobody wants it @param late why the request is aborted when nobody else waits for it */
  #settle(waiting: Waiting, outcome: Outcome | null, late: SluiceError | null): void {
    if (waiting.settled) return;
    waiting.settled = true;
    this.#unsettled -= 1;
    if (this.#unsettled === 0) this.#rest();
    if (outcome !== null) waiting.settle(outcome);
    const { request } = waiting;
    if (request === null) return;
    request.waiting -= 1;
    if (request.waiting === 0 && (outcome === null || late !== null)) request.abort.abort(late);
  }

  /** No timer keeps a process alive while nobody waits. */
  #rest(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#deadlines = [];
  }

  #expire = () => {
    const { clock, timeout } = this.options;
    this.#cancelTimer = null;
    const now = clock.now();
    // Further away than the timeout only by a clock that went back.
    const next = this.#deadlines.findIndex(
      ({ settled, deadline }) => !settled && deadline > now && deadline <= now + timeout,
    );
    const due = this.#deadlines.splice(0, next < 0 ? this.#deadlines.length : next);
    const [first] = this.#deadlines;
    if (first !== undefined) this.#cancelTimer = clock.after(first.deadline - now, this.#expire);
    const error = new SluiceError('timeout', `The server did not answer within ${timeout} ms.`);
    for (const waiting of due) this.#settle(waiting, error, error);
  };
}

const NO_CONNECTION = 'The server could not be reached.';
const NO_OUTCOME = new SluiceError('unexpected_answer', 'The server answered fewer decisions than were asked for.');
