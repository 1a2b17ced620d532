import { type Breaker, BreakerOpen } from '@/lib/counters/breaker';
import { GroupCommit, type GroupOptions, type Receiver } from '@/lib/counters/group-commit';
import type { Leases } from '@/lib/counters/leases';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { compareOutcome, hasCandidates } from '@/lib/enforcement/candidates';
import {
  addCharge,
  buildDecision,
  buildDecisionEvent,
  type Decision,
  refuseUnavailable,
} from '@/lib/enforcement/decision';
import { endSpan } from '@/lib/enforcement/decision-span';
import { DegradedMode, QuotaDebt } from '@/lib/enforcement/degraded-mode';
import { GlobalThrottle, type PendingRequest, ThrottledGroup } from '@/lib/enforcement/instance-throttle';
import { LeasedDecisions, mergeLeased } from '@/lib/enforcement/leased-decisions';
import { type Facts, plan } from '@/lib/enforcement/plan';
import { lookUpCallers } from '@/lib/enforcement/remembered-caller';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { type PendingSettlement, type SettlementGroup, SettlementQueue } from '@/lib/enforcement/settlement-queue';
import { type Trace, trace } from '@/lib/enforcement/trace';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Tracing } from '@/lib/tracing/tracing';
import type { Millis, Seconds } from '@/lib/units';

/** Metrics hooks. Each is called once per submission, group or failure, and must take well under a microsecond. */
export interface EngineMetrics {
  monotonic: () => Millis;
  /** @param seconds time from submission to decision, group wait included, equal for all `decisions` */
  recordDecisions(seconds: number, decisions: number): void;
  groupDecided(size: number): void;
  /** @param seconds duration of a successful call of the counter store */
  storeCalled(seconds: number): void;
  storeFailed(): void;
}

export interface EngineOptions {
  store: CounterStore;
  /** Counters of this process, for `DegradedMode`. */
  local: CounterStore;
  breaker: Breaker;
  /** Permits of the store's counters, if the store lends some. */
  leases?: Leases;
  rules: RulesCache;
  clock: () => Millis;
  record: (event: DecisionEvent) => void;
  groups: GroupOptions;
  onStoreFailure: (error: unknown) => void;
  /** Refreshes the rules while the counters are down, if they can still be read. Bounded; never throws. */
  refreshRules?: () => Promise<void>;
  metrics?: EngineMetrics;
  tracing?: Pick<Tracing, 'startDecisionSpan' | 'group' | 'commit'>;
}

/**
 * Decides requests. All requests that arrive in one turn of the event loop form one group (`GroupCommit`). The store
 * checks the revision of the rules in the same transaction that decides the group. While the store is down,
 * `DegradedMode` decides.
 */
export class Engine {
  readonly #group: GroupCommit<PendingRequest, Decision>;
  readonly #settlements = new SettlementQueue();
  readonly #throttle = new GlobalThrottle();
  readonly #debt = new QuotaDebt();
  readonly #degradedMode: DegradedMode;
  readonly #leased: LeasedDecisions;
  /** Clock skew (store minus local). */
  #skew: Millis = 0;

  constructor(private readonly options: EngineOptions) {
    this.#group = new GroupCommit(
      (requests) => this.#decideGroup(requests, this.#settlements.take()),
      options.groups,
      this.#settlements,
    );
    this.#degradedMode = new DegradedMode({ ...options, debt: this.#debt });
    this.#leased = new LeasedDecisions({ ...options, throttle: this.#throttle });
  }

  /** Decides a request that this instance serves. Its throttle applies first. @throws GroupQueueFull at once */
  admit(facts: Facts): Promise<Decision> {
    return this.#submit({ facts, served: true, submittedAt: this.#readMonotonicTime() });
  }

  /** Decides a request that another server serves. @throws GroupQueueFull at once */
  decide(facts: Facts): Promise<Decision> {
    return this.#submit({ facts, served: false, submittedAt: this.#readMonotonicTime() });
  }

  /**
   * Works like `decide`, with as few promises as possible. Errors go to `receiver.reject`. The receiver may be called
   * synchronously.
   */
  decideTo(facts: Facts, receiver: Receiver<Decision>): void {
    const request = { facts, served: false, submittedAt: this.#readMonotonicTime() };
    if (this.options.tracing === undefined) this.#submitTo(request, receiver);
    else {
      // A promise restores the tracing context of each receiver's request.
      this.#submit(request).then(
        (decision) => receiver.resolve(decision),
        (error: unknown) => receiver.reject(error),
      );
    }
  }

  /**
   * Decides requests that another server serves, in order. @throws GroupQueueFull at once, before any of them is
   * counted
   */
  decideAll(all: readonly Facts[]): Promise<Decision[]> {
    const submittedAt = this.#readMonotonicTime();
    const span = this.options.tracing?.startDecisionSpan() ?? null;
    const requests = all.map((facts): PendingRequest => ({ facts, served: false, submittedAt }));
    const [first] = requests;
    if (span !== null && first !== undefined) first.span = span;
    if (!this.#leased.isPossible || !this.#group.hasRoomFor(requests.length))
      return endSpan(this.#group.submitAll(requests), span, (decisions) => decisions);
    const leased = requests.map((request) => this.#decideLeased(request));
    const others = this.#group.submitAll(requests.filter((_, at) => leased[at] === null));
    const decided = others.then((decisions) => mergeLeased(leased, decisions));
    return endSpan(decided, span, (decisions) => decisions);
  }

  /**
   * Settles an attempt, in the next group.
   * @returns false if it was settled before
   * @throws StoreUnavailable, GroupQueueFull, or the errors of its `prepare`
   */
  settle(settlement: PendingSettlement): Promise<boolean> {
    const settled = new Promise<boolean>((resolve, reject) => this.#settlements.add(settlement, { resolve, reject }));
    this.#group.schedule();
    return settled;
  }

  /** True if permits that this process holds may decide a request, without the counter store. */
  get mayDecideByLease(): boolean {
    return this.#leased.isPossible;
  }

  /** Returns the decision that `decide` would make now, with its reasons. Consumes nothing. */
  explain(facts: Facts): Promise<Trace> {
    const { store, breaker, rules, clock } = this.options;
    const own = { skew: this.#skew, throttle: this.#throttle, degradedMode: this.#degradedMode, debt: this.#debt };
    return trace({ store, breaker, rules: rules.current, clock, ...own }, facts);
  }

  /** Clock skew (store minus local) at the last decision. 0 before the first one. */
  get clockSkew(): Millis {
    return this.#skew;
  }

  #submit(request: PendingRequest): Promise<Decision> {
    const span = this.options.tracing?.startDecisionSpan() ?? null;
    const traced = span === null ? request : { ...request, span };
    const submitted = new Promise<Decision>((resolve, reject) => this.#submitTo(traced, { resolve, reject }));
    return endSpan(submitted, span, (decision) => [decision]);
  }

  #submitTo(request: PendingRequest, receiver: Receiver<Decision>): void {
    const leased = this.#leased.isPossible ? this.#decideLeased(request) : null;
    if (leased === null) this.#group.submitTo(request, receiver);
    else receiver.resolve(leased);
  }

  /** Decides a request without the store. Returns null if that is not possible. */
  #decideLeased(request: PendingRequest): Decision | null {
    const decision = this.#leased.decide(request, this.#skew);
    if (decision !== null)
      this.options.metrics?.recordDecisions((this.#readMonotonicTime() - request.submittedAt) / 1000, 1);
    return decision;
  }

  #readMonotonicTime(): Millis {
    return this.options.metrics?.monotonic() ?? 0;
  }

  async #decideGroup(requests: readonly PendingRequest[], settlements: SettlementGroup): Promise<readonly Decision[]> {
    const group = new ThrottledGroup(this.#throttle, requests);
    const decided = await this.#decideTraced(requests, group, settlements);
    const decisions = group.merge(decided, (facts, at, retryAfter) => this.#refuse(facts, at, retryAfter));
    const { metrics } = this.options;
    if (metrics === undefined || requests.length === 0) return decisions;
    const now = metrics.monotonic();
    metrics.groupDecided(requests.length);
    let times = 0;
    for (const [at, { submittedAt }] of requests.entries()) {
      times += 1;
      // Requests that were submitted together have waited equally long.
      if (requests[at + 1]?.submittedAt === submittedAt) continue;
      metrics.recordDecisions((now - submittedAt) / 1000, times);
      times = 0;
    }
    return decisions;
  }

  #decideTraced(
    requests: readonly PendingRequest[],
    group: ThrottledGroup,
    settlements: SettlementGroup,
  ): Promise<Decision[]> {
    const { tracing } = this.options;
    if (tracing === undefined) return this.#decideAdmitted(group, settlements);
    const spans = requests.flatMap(({ span }) => span ?? []);
    return tracing.group(spans, () => this.#decideAdmitted(group, settlements));
  }

  async #decideAdmitted(group: ThrottledGroup, settlements: SettlementGroup): Promise<Decision[]> {
    const { breaker, rules, clock, metrics, onStoreFailure, refreshRules } = this.options;
    try {
      return await breaker.run(() => this.#decideWithStore(group, settlements));
    } catch (error) {
      settlements.reject(error);
      if (!(error instanceof StoreUnavailable)) throw error;
      if (!(error instanceof BreakerOpen)) metrics?.storeFailed();
      onStoreFailure(error);
      await refreshRules?.();
      const admitted = group.admitOnce(rules.current.policies.global, clock());
      // Only the store can report that a change revoked a caller, so every remembered caller is looked up.
      await lookUpCallers(admitted, null);
      return this.#degradedMode.decide(admitted, rules.current, clock());
    }
  }

  /** @throws StoreUnavailable */
  async #decideWithStore(group: ThrottledGroup, settlements: SettlementGroup): Promise<Decision[]> {
    const { rules, store, clock, metrics, tracing } = this.options;
    // The rules can change while a group is decided. After 20 times in a row, the loop gives up.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      // The rules are changed in place, so revision and policies must be read before the next `await`.
      const { revision, policies } = rules.current;
      const admitted = group.admit(policies.global, clock());
      const lookup = lookUpCallers(admitted, revision) ?? settlements.prepare(rules.current);
      if (lookup !== null) {
        await lookup;
        continue;
      }
      const now = clock() + this.#skew;
      const plans = admitted.map((facts) => plan(rules.current, facts, now));
      const debt = this.#debt.pay(rules.current);
      const planned = plans.map(({ attempt }) => attempt);
      const own = debt.attempts.length === 0 ? planned : debt.attempts.concat(planned);
      // Candidates count in the same transaction, after all live attempts, with separate counters.
      const attempts = hasCandidates(rules.current) ? own.concat(plans.flatMap(({ trials }) => trials)) : own;
      if (attempts.length === 0 && settlements.isEmpty) {
        // All requests were throttled, so the store is not called. Only the database can check the revision then.
        await this.#readRules('readFresh');
        if (rules.current.policies === policies) return [];
        continue;
      }
      const calledAt = this.#readMonotonicTime();
      const settled = settlements.plan();
      const call = () => store.commit(revision, attempts, settled);
      const called = tracing === undefined ? call() : tracing.commit(store.kind, attempts.length, call);
      const commit = await called.catch((error: unknown) => {
        debt.refund();
        throw error;
      });
      metrics?.storeCalled((this.#readMonotonicTime() - calledAt) / 1000);
      if (commit.kind === 'stale') {
        debt.refund();
        await this.#readRules('refresh');
        continue;
      }
      this.#skew = commit.now - clock();
      settlements.resolve(commit.settled);
      let next = own.length;
      return admitted.map((facts, index) => {
        const planned = plans[index];
        const verdict = commit.verdicts[index + debt.attempts.length];
        if (planned === undefined || verdict === undefined) throw new Error('The counter store left a verdict out.');
        const decision = buildDecision(facts, planned, verdict, { revision, now: commit.now });
        const event = buildDecisionEvent(facts, planned, decision);
        if (planned.trials.length > 0) {
          event.candidates = planned.trials.map((trial) => {
            const shadowed = commit.verdicts[next++];
            if (decision.charged !== undefined && shadowed?.admitted === true)
              decision.charged = addCharge(decision.charged, trial);
            return compareOutcome(trial, shadowed, verdict);
          });
        }
        if (facts.caller?.isRefused !== true && planned.isVoid !== true) this.options.record(event);
        return decision;
      });
    }
    throw new StoreUnavailable('The rules keep changing faster than they can be read.');
  }

  /** Reads the rules. A failure is treated like a failure of the counters. */
  async #readRules(read: 'refresh' | 'readFresh'): Promise<void> {
    await this.options.rules[read]().catch((error: unknown) => {
      throw new StoreUnavailable('The rules cannot be read.', { cause: error });
    });
  }

  /** Builds the refusal by the throttle of the instance. */
  #refuse(facts: Facts, now: Millis, retryAfter: Seconds): Decision {
    const rules = this.options.rules.current;
    const throttle = rules.policies.global;
    const planned = plan(rules, facts, now);
    const decision = refuseUnavailable(planned, now, retryAfter, 'This instance is at its request limit.', throttle);
    this.options.record(buildDecisionEvent(facts, planned, decision, throttle));
    return decision;
  }
}
