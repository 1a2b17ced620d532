import { runOnAbort } from '@/client/abort-actions';
import type { Check, RouteRule, Settlement } from '@/client/api';
import { Batcher, type BatchOptions, type Outcome, type Waiting } from '@/client/batcher';
import { CachedClasses } from '@/client/cached-classes';
import { type CheckAnswer, refuseUnreadable } from '@/client/check-answer';
import type { ClientEvent } from '@/client/client-event';
import { type Clock, SYSTEM_CLOCK } from '@/client/clock';
import { readDuration } from '@/client/duration';
import { SluiceError } from '@/client/error';
import { type Ask, createFetchExchange } from '@/client/exchange';
import { LocalLimiter } from '@/client/local-limiter';
import { type ClientPolicies, fillPolicies, type LocalLimit, type LocalPolicies } from '@/client/policies';
import { RememberedRefusals } from '@/client/remembered-refusals';
import type { Reservation, UsedCosts } from '@/client/reservation';
import { createScheduler, IN_ONE_REQUEST_ONLY } from '@/client/scheduler';
import { isUnread, sendChecks } from '@/client/send-checks';
import { type BreakerOptions, ServerBreaker } from '@/client/server-breaker';
import type { TransportOptions } from '@/client/transport';
import { answerUnreachable, type OnUnreachable } from '@/client/unreachable';

export interface SluiceOptions extends TransportOptions {
  /**
   * Milliseconds until `check` answers without the server, at most 24.8 days; up to a fifth less if many checks wait.
   * Default: 250.
   */
  timeout?: number;
  /**
   * Substitute for checks that the server did not decide. The default is `on_store_failure` in `policies`, as in the
   * server while its store is down.
   */
  onUnreachable?: OnUnreachable;
  /**
   * Policies from `sluice.policies.get()`: the limits that `local` halves, and the classes that are closed. By default
   * those of a fresh installation: `auth` and `sensitive` are closed.
   */
  policies?: LocalPolicies;
  /** Route rules from `sluice.routes.get()`, which classify checks that the server does not decide. */
  routeRules?: readonly RouteRule[];
  /** Named limits from `sluice.limits.list()`. Those that are missing here are closed while the server is down. */
  namedLimits?: readonly LocalLimit[];
  batch?: BatchOptions;
  breaker?: BreakerOptions;
  /**
   * Repeats a refusal without a request until its `retry_after`, or for at most this many seconds. Default: `false`.
   */
  rememberRefusals?: boolean | number;
  /** Receives every event of the client. Errors that it throws are ignored. */
  onEvent?: (event: ClientEvent) => void;
  /** Clock, for tests. */
  clock?: Clock;
  /** @internal Transport of decision requests. Default: `fetch`. */
  exchange?: (transport: TransportOptions) => Ask;
  /** @internal Runs an action once all pending input was read. Not every platform can. */
  afterInput?: (action: () => void) => unknown;
}

/** Minimum number of checks for a separate request. Smaller requests cost both sides more. */
const PART = 100;
/** Milliseconds after which an event-loop turn counts as long. */
const LONG_TURN = 2;

/** Client of one Sluice server. Create one per process and keep it, because it batches concurrent checks. */
export class Sluice {
  readonly #options: SluiceOptions;
  readonly #clock: Clock;
  readonly #ask: Ask;
  readonly #timeout: number;
  readonly #newBatcher: () => Batcher;
  #batcher: Batcher | null = null;
  readonly #breaker: ServerBreaker;
  readonly #policies: ClientPolicies;
  readonly #local: LocalLimiter;
  readonly #classes: CachedClasses;
  readonly #remembered: RememberedRefusals | null;
  #warned = false;

  constructor(options: SluiceOptions) {
    const { url, batch, breaker, clock = SYSTEM_CLOCK, rememberRefusals = false } = options;
    if (!/^https?:\/\/./.test(String(url))) throw new TypeError('`url` must be the http or https address of Sluice.');
    if (typeof options.token !== 'string') throw new TypeError('`token` must be given.');
    const timeout = readDuration('timeout', options.timeout ?? 250);
    const { size = 1_000, requests = 4 } = batch ?? {};
    const delay = batch?.delay === undefined ? undefined : readDuration('batch.delay', batch.delay, 0);
    readDuration('breaker.cooldown', breaker?.cooldown ?? 0, 0);
    if (typeof rememberRefusals === 'number' ? !(rememberRefusals > 0) : typeof rememberRefusals !== 'boolean')
      throw new TypeError('`rememberRefusals` must be true, false or a number of seconds above 0.');
    if (!(size >= 1 && size <= 1_000)) throw new TypeError('`batch.size` must be 1 to 1,000.');
    if (!(requests >= 1)) throw new TypeError('`batch.requests` must be at least 1.');
    this.#options = options;
    this.#clock = clock;
    this.#policies = fillPolicies(options.policies, options.namedLimits);
    this.#local = new LocalLimiter(this.#policies);
    this.#classes = new CachedClasses(options.routeRules);
    this.#remembered =
      rememberRefusals === false
        ? null
        : new RememberedRefusals(rememberRefusals === true ? undefined : rememberRefusals);
    this.#breaker = new ServerBreaker(clock, (state) => this.#reportState(state), breaker);
    const { exchange: createExchange = createFetchExchange, afterInput } = options;
    const exchange = createExchange(options);
    this.#ask = exchange;
    this.#timeout = timeout;
    const whole = IN_ONE_REQUEST_ONLY || delay !== undefined;
    this.#newBatcher = () =>
      new Batcher({
        size,
        requests: IN_ONE_REQUEST_ONLY ? Number.POSITIVE_INFINITY : requests,
        part: whole ? size : Math.min(size, PART),
        longTurn: whole ? Number.POSITIVE_INFINITY : LONG_TURN,
        send: (texts, onCancel) => sendChecks(exchange, texts, onCancel),
        timeout,
        clock,
        schedule: createScheduler(clock, delay, afterInput),
        afterTurn: createScheduler(clock, undefined, afterInput),
        onEnd: (failure, checks, milliseconds) => this.#reportEnd(failure, checks, milliseconds),
      });
  }

  /** @internal Transport of its operations. It is a getter, so that logging the client does not print the token. */
  get transport(): TransportOptions {
    return this.#options;
  }

  /**
   * Requests the decision on one request; an allowed one is counted. Checks of one event-loop turn are sent together.
   * Each gets the answer of a single check. Never rejects, unless `onUnreachable` is `throw` or `signal` is aborted.
   * @example
   * const { allowed, retry_after } = await sluice.check({ class: 'write', ip: '203.0.113.7', user_id: 'alice' });
   */
  check(check: Check, { signal }: { signal?: AbortSignal } = {}): Promise<CheckAnswer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const text = encodeCheck(check);
      if (text === null) {
        return resolve(refuseUnreadable({}, 'invalid_request', 'The request is not valid: body must be an object.'));
      }
      const remembered = this.#remembered?.find(check, this.#clock.now());
      if (remembered != null) {
        this.#emit({ kind: 'remembered', check, answer: remembered });
        return resolve(remembered);
      }
      if (!this.#breaker.admitRequest()) return resolve(this.#substitute(check, BREAKER_OPEN));
      const batcher = this.#findBatcher();
      let waiting: Waiting | undefined;
      const rejectAborted = () => {
        if (waiting !== undefined) batcher.drop(waiting);
        reject(signal?.reason);
      };
      let ignoreAbort = () => {};
      const settle = (outcome: Outcome) => {
        ignoreAbort();
        try {
          resolve(this.#answer(check, outcome));
        } catch (error) {
          reject(error);
        }
      };
      waiting = batcher.add(text, settle);
      if (signal !== undefined) ignoreAbort = runOnAbort(signal, rejectAborted);
    });
  }

  /**
   * Checks named limits and reserves what the request may use: units, and places in flight. Settle the reservation when
   * the request has ended. Rejects only if `check` would.
   * @example
   * const reservation = await sluice.reserve({ limits: [{ name: 'tokens', subject: key, cost: 2_000 }] });
   * if (!reservation.allowed) return refuse(reservation.answer.retry_after);
   * const { usage } = await complete(prompt);
   * reservation.settle({ tokens: usage.total_tokens });
   */
  async reserve(check: Omit<Check, 'settle'>, options: { signal?: AbortSignal } = {}): Promise<Reservation> {
    const answer = await this.check({ ...check, settle: true }, options);
    const { Reservation } = await import('@/client/reservation');
    return new Reservation(answer, this, (id, error) => {
      this.#emit({ kind: 'unsettled', id, error });
      // A mistake in the program, which would show only as numbers that are never settled.
      if (error.code === 'invalid_request') this.#warn(`Sluice settles nothing: ${error.message}`);
    });
  }

  /**
   * Replaces the units that a check has reserved by those that were used, once, and frees its places. It is sent again
   * if no answer arrives.
   * @param settlement the `id` of the answer, or the body of the operation
   * @throws SluiceError `not_found`, `conflict`, `invalid_request`, `unreachable`, `timeout`, `service_unavailable`
   */
  async settle(settlement: string | Settlement, costs: UsedCosts = {}): Promise<{ settled: true }> {
    const { sendSettlement } = await import('@/client/reservation');
    const body = typeof settlement === 'string' ? { id: settlement, costs } : settlement;
    return sendSettlement(body, { ask: this.#ask, clock: this.#clock, timeout: this.#timeout });
  }

  /** Returns the shared batcher, or a new one if an event-loop turn may belong to different requests. */
  #findBatcher(): Batcher {
    if (this.#batcher !== null) return this.#batcher;
    this.#batcher = this.#newBatcher();
    if (IN_ONE_REQUEST_ONLY) {
      queueMicrotask(() => {
        this.#batcher = null;
      });
    }
    return this.#batcher;
  }

  #answer(check: Check, outcome: Outcome): CheckAnswer | Promise<CheckAnswer> {
    if (!(outcome instanceof SluiceError)) {
      this.#classes.recordClass(check, outcome.class);
      this.#remembered?.keep(check, outcome, this.#clock.now());
      return outcome;
    }
    if (!isUnread(outcome)) return this.#substitute(check, outcome);
    const code = outcome.status === 413 ? 'payload_too_large' : 'invalid_request';
    return { ...refuseUnreadable(check, code, outcome.message), details: outcome.details };
  }

  #substitute(check: Check, error: SluiceError): CheckAnswer | Promise<CheckAnswer> {
    const { loading } = this.#classes;
    // Happens only shortly after the process starts.
    return loading === null ? this.#decideLocally(check, error) : loading.then(() => this.#decideLocally(check, error));
  }

  #decideLocally(check: Check, error: SluiceError): CheckAnswer {
    const { onUnreachable } = this.#options;
    const [policies, local, now] = [this.#policies, this.#local, this.#clock.now()];
    try {
      const answer = answerUnreachable(this.#classes.complete(check), error, { onUnreachable, policies, local, now });
      this.#emit({ kind: 'unreachable', check, error, answer });
      return answer;
    } catch (thrown) {
      this.#emit({ kind: 'unreachable', check, error });
      throw thrown;
    }
  }

  #reportEnd(failure: SluiceError | 'answered' | null, checks: number, milliseconds: number): void {
    if (failure === 'answered') {
      this.#breaker.reportAnswer();
      this.#emit({ kind: 'request', outcome: 'answered', checks, milliseconds });
    } else if (failure === null) {
      this.#breaker.reportAbandoned();
      this.#emit({ kind: 'request', outcome: 'given_up', checks, milliseconds });
    } else {
      this.#emit({ kind: 'request', outcome: 'failed', checks, milliseconds, error: failure });
      const { status, message } = failure;
      // A refused token shows only as an unlimited or closed application.
      if (status === 401 || status === 403)
        this.#warn(`Sluice decides nothing for this client (${status}): ${message}`);
      // Each timed-out check counts as a failure, because a single check would have failed too. A broken connection
      // counts once.
      this.#breaker.reportFailure(failure.code === 'timeout' ? checks : 1);
    }
  }

  #reportState(state: ServerBreaker['state']): void {
    this.#emit({ kind: 'breaker', state });
    if (state === 'open') this.#batcher?.failAll(BREAKER_OPEN);
  }

  /** Warns once of a mistake that nothing else shows. */
  #warn(text: string): void {
    if (this.#warned || this.#options.onEvent !== undefined) return;
    this.#warned = true;
    console.warn(text);
  }

  #emit(event: ClientEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // Errors of metrics must not affect decisions.
    }
  }
}

const BREAKER_OPEN = new SluiceError(
  'breaker_open',
  'The server failed several times in a row and is not asked for now.',
);

/** Encodes a check. Null if it is not an object. */
function encodeCheck(check: unknown): string | null {
  if (typeof check !== 'object' || check === null || Array.isArray(check)) return null;
  try {
    return JSON.stringify(check);
  } catch {
    return null;
  }
}
