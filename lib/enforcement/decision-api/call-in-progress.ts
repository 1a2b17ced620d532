import type { Logger } from 'pino';
import type { Actor } from '@/lib/auth/actor';
import { authorize, authorizeRemembered } from '@/lib/auth/authorize';
import type { Receiver } from '@/lib/counters/group-commit';
import type { Decision } from '@/lib/enforcement/decision';
import type { ForwardAuthServices } from '@/lib/enforcement/decision-api/forward-auth';
import type { Engine } from '@/lib/enforcement/engine';
import type { RememberedCaller } from '@/lib/enforcement/remembered-caller';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import type { Settlements } from '@/lib/enforcement/settlements';
import { convertFault, logFailure } from '@/lib/fault';
import { ApiError, createMethodNotAllowed } from '@/lib/http/api-error';
import { readClientAddress } from '@/lib/http/client-address';
import { type Answer, buildErrorAnswer, createUncachedHeaders } from '@/lib/http/error-answer';
import { parseReadBody } from '@/lib/http/json-body';
import type { RequestHead } from '@/lib/http/request-head';
import { readRequestId } from '@/lib/http/request-id';
import { buildStrictTransport } from '@/lib/http/security-headers';
import { DECISION_API, type KeyUsage } from '@/lib/statistics/key-days';
import type { Millis } from '@/lib/units';

/**
 * A call of the decision API, independent of its transport. The transport is a route handler of Next, or `server.mjs`,
 * which avoids creating a `Request` and a `Response`.
 */
export interface DecisionCall extends RequestHead {
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Reads the body. `done` receives null if it is larger than `limit` bytes. Can be called only once. */
  read(limit: number, done: (bytes: Uint8Array | null) => void, failed: (fault: unknown) => void): void;
}

export interface DecisionApiServices extends ForwardAuthServices, AuthorizeServices {
  readonly config: ForwardAuthServices['config'] & AuthorizeServices['config'];
  readonly engine: Pick<Engine, 'decideTo' | 'decideAll' | 'mayDecideByLease'>;
  readonly rules: Pick<RulesCache, 'current' | 'readFresh'>;
  readonly settlements: Settlements;
  readonly logger: Pick<Logger, 'error' | 'debug'>;
  /** Records that the decision API is used. */
  readonly statistics: { readonly usage: Pick<KeyUsage, 'use'> };
}
type AuthorizeServices = Parameters<typeof authorize>[2];

/** Result of one call. */
export type Decided = Decision | readonly Decision[] | null;

/** Handler of one path. */
export interface Resource {
  methods: readonly string[];
  /** Size of the largest body in bytes. Null if no body is read. */
  limit: number | null;
  /** If true, the method is that of the caller's client: OPTIONS requests a decision like any other method. */
  hasClientsMethod?: boolean;
  /** If true, the token is looked up for each call, because no decision is made under a checked revision. */
  looksUpCaller?: boolean;
  /** Starts the decision. @throws a fault that becomes an error answer */
  decide(call: CallInProgress, body: unknown): void;
}

/** Time after which a body has taken so long to arrive that its caller is looked up again. */
const SLOW_BODY: Millis = 500;

/**
 * A call in progress, with its time and address. The address is read only if a token is wrong.
 *
 * This is a class for a reason. An accessor in a literal keeps alive all that its function captures until the next full
 * collection, because V8 creates a hidden class for each literal.
 */
export class CallInProgress implements RememberedCaller {
  readonly requestId: string;
  readonly now: Millis;
  /** Revision of the rules before the last look-up of the caller. */
  #revision: number;
  /** True if the token was not looked up for this call. */
  #isRemembered = false;
  /** Reason why a look-up during the decision refused the caller. */
  #refusal: unknown;

  constructor(
    readonly services: DecisionApiServices,
    readonly head: DecisionCall,
    private readonly respond: (answer: Answer) => void,
  ) {
    this.requestId = readRequestId(head.headers);
    this.now = services.clock();
    this.#revision = services.rules.current.revision;
  }

  get address(): string | null {
    return readClientAddress(this.head.headers, this.services.config)?.text ?? null;
  }

  /** @param resourceOf finds the handler of a path; throws ApiError not_found */
  begin(resourceOf: (target: string) => Resource): void {
    const { head, services } = this;
    try {
      const resource = resourceOf(head.target);
      const { methods } = resource;
      if (!methods.includes(head.method)) throw createMethodNotAllowed(methods.join(', '));
      if (head.method === 'OPTIONS' && resource.hasClientsMethod !== true) {
        this.#answer({
          status: 204,
          headers: createUncachedHeaders(this.requestId, { Allow: methods.join(', ') }),
          body: null,
        });
        return;
      }
      const looksUp = resource.looksUpCaller === true || services.engine.mayDecideByLease;
      const caller = looksUp ? null : authorizeRemembered('decide', head, services, this);
      this.#isRemembered = caller !== null;
      if (caller !== null) this.#proceed(resource, caller);
      else this.#authorize((actor) => this.#proceed(resource, actor));
    } catch (fault) {
      this.fail(fault);
    }
  }

  #authorize(then: (actor: Actor) => void): void {
    authorize('decide', this.head, this.services, this).then(
      (actor) => this.#runGuarded(() => then(actor)),
      (fault: unknown) => this.fail(fault),
    );
  }

  #proceed(resource: Resource, actor: Actor): void {
    const { head, services } = this;
    // The console calls with a session for demonstrations. These calls are not recorded as use.
    if (!actor.id.startsWith('member:')) services.statistics.usage.use(DECISION_API, this.now);
    const { limit } = resource;
    if (limit === null) {
      resource.decide(this, undefined);
      return;
    }
    const read = (bytes: Uint8Array | null) => {
      this.#runGuarded(() => {
        if (bytes === null) throw new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`);
        const body = parseReadBody(head, bytes, { required: true });
        // A caller that is not remembered was looked up before the body, and may have lost the role since.
        const isLate = !this.#isRemembered && services.clock() - this.now >= SLOW_BODY;
        if (isLate) this.#authorize(() => resource.decide(this, body));
        else resource.decide(this, body);
      });
    };
    head.read(limit, read, (fault) => this.fail(fault));
  }

  get revision(): number {
    return this.#revision;
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** The caller that the facts of this call need. Undefined if the caller was looked up for this call. */
  get rememberedCaller(): RememberedCaller | undefined {
    return this.#isRemembered ? this : undefined;
  }

  async lookUp(): Promise<void> {
    this.#revision = this.services.rules.current.revision;
    try {
      await authorize('decide', this.head, this.services, this);
    } catch (fault) {
      this.#refusal = fault;
    }
  }

  /** Answers with the result, or with the reason why the caller is refused. */
  deliver<T extends Decided>(decided: T, buildAnswer: (decided: T) => Answer): void {
    this.#runGuarded(() => {
      if (this.#refusal !== undefined) throw this.#refusal;
      this.#answer(buildAnswer(decided));
    });
  }

  /** Answers with a fault. */
  fail(fault: unknown): void {
    const error = convertFault(fault);
    logFailure(this.services.logger, error, { requestId: this.requestId }, 'decision call failed');
    this.#answer(buildErrorAnswer(error, this.head.headers.get('accept'), this.requestId));
  }

  #answer(answer: Answer): void {
    const { head, services } = this;
    Object.assign(answer.headers, buildStrictTransport(head.target, head.headers, services.config));
    this.respond(answer);
  }

  /** Runs `work`. A fault becomes the answer. */
  #runGuarded(work: () => void): void {
    try {
      work();
    } catch (fault) {
      this.fail(fault);
    }
  }
}

/** Receives the result of a decision and answers the call with it. */
export class CallReceiver<T extends Decided> implements Receiver<T> {
  /** @param buildAnswer builds the answer; may throw a fault that becomes an error answer */
  constructor(
    private readonly call: CallInProgress,
    private readonly buildAnswer: (decided: T) => Answer,
  ) {}

  resolve(decided: T): void {
    this.call.deliver(decided, this.buildAnswer);
  }

  reject(fault: unknown): void {
    this.call.fail(fault);
  }

  follow(decided: Promise<T>): void {
    decided.then(
      (value) => this.resolve(value),
      (fault: unknown) => this.reject(fault),
    );
  }
}
