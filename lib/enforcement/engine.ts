import { type Breaker, BreakerOpen } from '@/lib/counters/breaker';
import { GroupCommit, type GroupOptions } from '@/lib/counters/group-commit';
import type { CounterStore } from '@/lib/counters/store';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Decision, Facts } from '@/lib/enforcement/decision';
import { type Plan, plan } from '@/lib/enforcement/plan';
import type { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { judgement, secondsUntil, unavailable } from '@/lib/enforcement/to-decision';
import { GlobalThrottle } from '@/lib/limiter/global-throttle';
import type { Attempt, Meter, Verdict } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

/** What is told of decisions as they are made; every call must cost well under a microsecond. */
export interface EngineMeasures {
  /** Monotonic, in milliseconds. */
  monotonic: () => Millis;
  /** @param seconds from the question to the decision, the wait for its group included */
  decided(seconds: number): void;
  groupDecided(size: number): void;
  storeFailed(): void;
}

export interface EngineOptions {
  store: CounterStore;
  /** Serves while the store is out of reach. */
  local: CounterStore;
  breaker: Breaker;
  rules: RulesCache;
  clock: () => Millis;
  record: (event: DecisionEvent) => void;
  /** How what waits becomes groups. */
  groups: GroupOptions;
  onStoreFailure: (error: unknown) => void;
  /**
   * Reads the rules where they are apart from the counters, so that a change also counts while the counters are out of
   * reach. Bounded in time; never throws.
   */
  freshen?: () => Promise<void>;
  measures?: EngineMeasures;
}

/** A question and when it was put, by the monotonic clock. */
interface Question {
  facts: Facts;
  asked: Millis;
  /** This instance serves the request itself: the throttle of the instance counts it. */
  served: boolean;
}

/** What the throttle of the instance says of a group, under the rules of one revision. */
interface Throttled {
  at: Millis;
  seconds: number;
  taken: number;
  /** For each question the seconds to wait; null where it goes on. */
  retryAfter: readonly (number | null)[];
}

/** Rules can change while a group is decided; after this many times in a row something is wrong. */
const MAX_STALE = 20;

/**
 * Decides requests. All that wait in one turn of the event loop are decided together (`GroupCommit`), under rules whose
 * revision the store has checked in the same transaction. While the store is out of reach, classes that may be served
 * locally are, at half the limit, and the others are refused with `service_unavailable`.
 */
export class Engine {
  readonly #group: GroupCommit<Question, Decision>;
  readonly #throttle = new GlobalThrottle();
  /** What keys consumed while the store was out of reach, to be added to their quotas when it is back. */
  readonly #owed = new Map<string, { meter: Meter; cost: number }>();
  /** The store's clock less ours. */
  #offset = 0;

  constructor(private readonly options: EngineOptions) {
    this.#group = new GroupCommit((questions) => this.#answer(questions), options.groups);
  }

  /**
   * Decides a request that this instance serves itself, so the throttle of the instance comes first.
   * @throws QueueFull at once
   */
  admit(facts: Facts): Promise<Decision> {
    return this.#submit(facts, true);
  }

  /**
   * Decides a request that somebody else serves.
   * @throws QueueFull at once
   */
  decide(facts: Facts): Promise<Decision> {
    return this.#submit(facts, false);
  }

  /**
   * Decides requests that somebody else serves, together and in their order.
   * @throws QueueFull at once, before any of them is counted
   */
  decideAll(all: readonly Facts[]): Promise<Decision[]> {
    const asked = this.#now();
    return this.#group.submitAll(all.map((facts) => ({ facts, served: false, asked })));
  }

  #submit(facts: Facts, served: boolean): Promise<Decision> {
    return this.#group.submit({ facts, served, asked: this.#now() });
  }

  #now(): Millis {
    return this.options.measures?.monotonic() ?? 0;
  }

  async #answer(questions: readonly Question[]): Promise<Decision[]> {
    const decisions = await this.#decide(questions);
    const { measures } = this.options;
    if (measures === undefined) return decisions;
    const now = measures.monotonic();
    measures.groupDecided(questions.length);
    for (const { asked } of questions) measures.decided((now - asked) / 1000);
    return decisions;
  }

  async #decide(questions: readonly Question[]): Promise<Decision[]> {
    let throttled: Throttled | null = null;
    try {
      return await this.options.breaker.run(async () => {
        for (let attempt = 0; attempt < MAX_STALE; attempt += 1) {
          const rules = this.options.rules.current;
          const { revision } = rules;
          throttled = this.#throttleAll(questions, rules, throttled);
          const batch = admittedBy(throttled, questions);
          const now = this.options.clock() + this.#offset;
          const plans = batch.map((facts) => plan(rules, facts, now));
          const owed = this.#settle();
          const attempts = owed.attempts.concat(plans.map((one) => one.attempt));
          if (attempts.length === 0) {
            // Nobody asks the store, which would say that the throttle has changed.
            await this.#readRules('fresh');
            const { current } = this.options.rules;
            if (current !== rules || current.revision !== revision) continue;
            return this.#merge(questions, throttled, []);
          }
          const commit = await this.options.store.commit(revision, attempts).catch((error: unknown) => {
            owed.keep();
            throw error;
          });
          if (commit.kind === 'stale') {
            owed.keep();
            await this.#readRules('refresh');
            continue;
          }
          this.#offset = commit.now - this.options.clock();
          return this.#merge(questions, throttled, this.#conclude(batch, plans, commit, owed.attempts.length, false));
        }
        throw new StoreUnavailable('The rules keep changing faster than they can be read.');
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (!(error instanceof BreakerOpen)) this.options.measures?.storeFailed();
      this.options.onStoreFailure(error);
      await this.options.freshen?.();
      const taken = throttled ?? this.#throttleAll(questions, this.options.rules.current, null);
      const batch = admittedBy(taken, questions);
      return this.#merge(questions, taken, await this.#decideWithoutStore(batch));
    }
  }

  /** Counts what this instance serves; what an attempt before has counted is given back. */
  #throttleAll(questions: readonly Question[], rules: Rules, before: Throttled | null): Throttled {
    const { limit, window_seconds: seconds } = rules.policies.global;
    const at = this.options.clock();
    if (before !== null) this.#throttle.giveBack(before.taken, before.seconds, before.at, at);
    let taken = 0;
    const retryAfter = questions.map(({ served }) => {
      const retryAt = served ? this.#throttle.take(limit, seconds, at).retryAt : null;
      if (retryAt !== null) return Number.isFinite(retryAt) ? secondsUntil(retryAt, at) : seconds;
      if (served) taken += 1;
      return null;
    });
    return { at, seconds, taken, retryAfter };
  }

  /** Puts the refusals of the throttle between the decisions on the rest. */
  #merge(questions: readonly Question[], { at, retryAfter }: Throttled, decided: readonly Decision[]): Decision[] {
    let next = 0;
    return questions.map(({ facts }, index) => {
      const wait = retryAfter[index];
      const decision = wait === null ? decided[next++] : this.#throttledDecision(facts, at, wait ?? 1);
      if (decision === undefined) throw new Error('A question was left without a decision.');
      return decision;
    });
  }

  #throttledDecision(facts: Facts, now: Millis, retryAfter: number): Decision {
    const planned = plan(this.options.rules.current, facts, now);
    const decision = unavailable(planned, now, retryAfter, 'This instance serves as many requests as it can.');
    this.#record(facts, planned, decision, 'global');
    return decision;
  }

  /** Rules that cannot be read are as bad as counters that cannot. */
  async #readRules(how: 'refresh' | 'fresh'): Promise<void> {
    try {
      await this.options.rules[how]();
    } catch (error) {
      throw new StoreUnavailable('The rules cannot be read.', { cause: error });
    }
  }

  #conclude(
    batch: readonly Facts[],
    plans: readonly Plan[],
    commit: { now: Millis; verdicts: readonly Verdict[] },
    skip: number,
    degraded: boolean,
  ): Decision[] {
    return batch.map((facts, index) => {
      const planned = plans[index];
      const verdict = commit.verdicts[index + skip];
      if (planned === undefined || verdict === undefined) throw new Error('The counter store left a verdict out.');
      const decision = judgement(planned, verdict, commit.now, degraded);
      this.#record(facts, planned, decision, null);
      return decision;
    });
  }

  /** Half the limit in this process, for the classes that may; the quota is owed. */
  async #decideWithoutStore(batch: readonly Facts[]): Promise<Decision[]> {
    const rules = this.options.rules.current;
    const now = this.options.clock();
    const retryAfter = Math.max(1, Math.ceil(this.options.breaker.retryIn / 1000));
    return Promise.all(
      batch.map(async (facts) => {
        const planned = plan(rules, facts, now);
        if (rules.policies.classes[planned.class].on_store_failure === 'closed') {
          const decision = unavailable(
            planned,
            now,
            retryAfter,
            'The counter store is out of reach and this class is closed without it.',
          );
          this.#record(facts, planned, decision, null);
          return decision;
        }
        const halved = halve(planned);
        const commit = await this.options.local.commit(0, [halved.attempt]);
        if (commit.kind === 'stale') throw new Error('The local counters have no revision.');
        const [decision] = this.#conclude([facts], [halved], commit, 0, true);
        if (decision === undefined) throw new Error('The local counters left a verdict out.');
        if (decision.outcome !== 'refused') this.#owe(planned);
        return decision;
      }),
    );
  }

  #owe(planned: Plan): void {
    const meter = planned.attempt.meters.find((one) => one.subject === 'quota');
    if (meter === undefined) return;
    const before = this.#owed.get(meter.key)?.cost ?? 0;
    this.#owed.set(meter.key, { meter: { ...meter, unlimited: true }, cost: before + planned.attempt.cost });
  }

  /** Takes what is owed into the next group; `keep` puts it back when that was not decided. */
  #settle(): { attempts: Attempt[]; keep: () => void } {
    if (this.#owed.size === 0) return NOTHING_OWED;
    const taken = [...this.#owed];
    this.#owed.clear();
    return {
      attempts: taken.map(([, { meter, cost }]) => ({ meters: [meter], cost })),
      keep: () => {
        for (const [key, { meter, cost }] of taken)
          this.#owed.set(key, { meter, cost: cost + (this.#owed.get(key)?.cost ?? 0) });
      },
    };
  }

  #record(facts: Facts, planned: Plan, decision: Decision, by: 'global' | null): void {
    const subject = by ?? decision.refusal?.violated[0] ?? planned.bypass?.subject ?? null;
    const position = planned.attempt.meters.findIndex((meter) => meter.subject === subject);
    this.options.record({
      at: decision.at,
      outcome: decision.outcome,
      class: decision.class,
      reason: decision.refusal?.error ?? null,
      subjectType: subject,
      identifier: planned.bypass?.identifier ?? planned.identifiers[position] ?? null,
      method: facts.method,
      path: facts.path,
      ip: facts.address?.text ?? null,
      userId: planned.userId,
      apiKeyId: planned.key?.id ?? null,
      requestId: facts.requestId,
      cost: planned.attempt.cost,
      overrideIds: planned.overrideIds,
    });
  }
}

const NOTHING_OWED: { attempts: Attempt[]; keep: () => void } = { attempts: [], keep: () => undefined };

/** What the throttle of the instance lets go on to the store. */
function admittedBy({ retryAfter }: Throttled, questions: readonly Question[]): Facts[] {
  const admitted: Facts[] = [];
  for (let i = 0; i < questions.length; i += 1) {
    const question = questions[i];
    if (question !== undefined && retryAfter[i] === null) admitted.push(question.facts);
  }
  return admitted;
}

function halve(planned: Plan): Plan {
  const kept = planned.attempt.meters
    .map((meter, index) => ({ meter, index }))
    .filter(({ meter }) => meter.subject !== 'quota');
  return {
    ...planned,
    identifiers: kept.map(({ index }) => planned.identifiers[index] ?? ''),
    attempt: {
      cost: planned.attempt.cost,
      meters: kept.map(({ meter }) => ({
        ...meter,
        limit: meter.limit === 0 ? 0 : Math.max(1, Math.floor(meter.limit / 2)),
      })),
    },
  };
}
