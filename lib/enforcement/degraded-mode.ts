import type { Breaker } from '@/lib/counters/breaker';
import { peek } from '@/lib/counters/peek';
import type { CounterStore } from '@/lib/counters/store';
import {
  buildDecisionEvent,
  convertVerdict,
  type Decision,
  refuseUnavailable,
  suppressRefusal,
} from '@/lib/enforcement/decision';
import { type Facts, type Plan, plan } from '@/lib/enforcement/plan';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';
import type { Rules } from '@/lib/enforcement/rules';
import { buildReadAttempt } from '@/lib/limiter/costs';
import { type Attempt, type Meter, type Reading, splitQuota } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

interface DegradedModeOptions {
  /** Counters of this process only. */
  local: Pick<CounterStore, 'commit' | 'read'>;
  breaker: Pick<Breaker, 'retryIn'>;
  record: (event: DecisionEvent) => void;
  debt: QuotaDebt;
}

/**
 * Decides while the store is down. Classes with `on_store_failure: local` get half the limit in this process; all
 * others are refused. Quotas are charged when the store is back.
 */
export class DegradedMode {
  constructor(private readonly options: DegradedModeOptions) {}

  decide(requests: readonly Facts[], rules: Rules, now: Millis): Promise<Decision[]> {
    return Promise.all(
      requests.map(async (facts) => {
        const planned = plan(rules, facts, now);
        const decision = this.#refuseClosed(planned, rules, now) ?? (await this.#decideLocally(planned));
        this.options.record(buildDecisionEvent(facts, planned, decision));
        return decision;
      }),
    );
  }

  /**
   * Returns the decision that `decide` would make on one request. Counts nothing.
   * @param unbypassed its plan without a bypass
   * @returns `whole` and `halved` are the applied limits, without and with a bypass; `readings` are those before and
   * after the request, empty if nothing is counted
   */
  async peek(rules: Rules, planned: Plan, unbypassed: Plan, now: Millis) {
    const closed = this.#refuseClosed(planned, rules, now);
    const none: Reading[] = [];
    const unread = { before: none, after: none };
    if (closed !== null) return { decision: closed, whole: unbypassed, halved: planned, readings: unread };
    const halved = halve(planned);
    const whole = halve(unbypassed);
    const attempts = [buildReadAttempt(whole.attempt.meters), halved.attempt];
    const { now: at, verdicts } = await peek(this.options.local, attempts, () => now);
    const [before, after] = verdicts;
    if (before === undefined || after === undefined) throw new Error('The local counters decided nothing.');
    // The quota stays among the limits, although it cannot be read now.
    const { quota } = splitQuota(unbypassed.attempt.meters);
    const meters = quota === null ? whole.attempt.meters : [...whole.attempt.meters, quota];
    const withQuota = { ...whole, attempt: { ...whole.attempt, meters } };
    const readings = { before: before.readings, after: after.readings };
    return { decision: convertVerdict(halved, after, at, true), whole: withQuota, halved, readings };
  }

  /**
   * Returns the decision of a class that requires the store: a refusal, unless an incident suppresses it. Returns null
   * for other classes.
   */
  #refuseClosed(planned: Plan, rules: Rules, now: Millis): Decision | null {
    // A request that counts nowhere needs no store.
    if (planned.uncounted === true || !isStoreRequired(planned, rules)) return null;
    const observing = planned.incident?.mode === 'observe';
    // The incident suspends only the limits, so an invalid key is still refused.
    if (observing && planned.invalidKey) return null;
    const retryAfter = Math.max(1, Math.ceil(this.options.breaker.retryIn / 1000));
    const refused = refuseUnavailable(
      planned,
      now,
      retryAfter,
      'The counter store is down, and this limit requires it.',
    );
    return observing ? suppressRefusal(refused) : refused;
  }

  async #decideLocally(planned: Plan): Promise<Decision> {
    const halved = halve(planned);
    const commit = await this.options.local.commit(0, [halved.attempt]);
    const verdict = commit.kind === 'decided' ? commit.verdicts[0] : undefined;
    if (commit.kind === 'stale' || verdict === undefined) throw new Error('The local counters decided nothing.');
    const decision = convertVerdict(halved, verdict, commit.now, true);
    if (decision.outcome !== 'refused') this.options.debt.add(planned);
    return decision;
  }
}

/** Returns whether the class of a request, or one of its named limits, is refused while the store is down. */
export function isStoreRequired({ class: name, attempt }: Plan, { policies, limits }: Rules): boolean {
  if (name !== null && policies.classes[name].on_store_failure === 'closed') return true;
  return attempt.meters.some(({ named }) => named !== undefined && limits.get(named.name)?.isClosedOnFailure === true);
}

/** Halves the limits of a plan (rounded down, at least 1; 0 stays 0), and removes the quota. */
function halve(planned: Plan): Plan {
  const { cost, meters } = planned.attempt;
  const halved = splitQuota(meters).limits.map((meter) => ({
    ...meter,
    limit: meter.limit === 0 ? 0 : Math.max(1, Math.floor(meter.limit / 2)),
  }));
  return { ...planned, attempt: { cost, meters: halved } };
}

/** Debt that is paid with one group. */
interface Payment {
  readonly attempts: readonly Attempt[];
  /** Returns the payment to the debt if the group was not decided. */
  refund(): void;
}

const NOTHING: Payment = { attempts: [], refund: () => undefined };

/** Debt of one key. */
interface Owed {
  readonly apiKeyId: string;
  readonly meter: Meter;
  readonly cost: number;
}

/**
 * Usage of API keys while the store was down. It is charged to their quotas with the next group that the store decides.
 */
export class QuotaDebt {
  readonly #owed = new Map<string, Owed>();

  /** Adds the cost of an admitted request. It is charged even if it exceeds the quota. */
  add({ attempt, key }: Plan): void {
    const { quota } = splitQuota(attempt.meters);
    if (quota === null || key === null) return;
    const { cost = attempt.cost, ...meter } = quota;
    this.#add({ apiKeyId: key.id, meter: { ...meter, unlimited: true }, cost });
  }

  /** Returns the debt of the key of a request, as an attempt before it. The debt stays. */
  findDebt({ attempt }: Plan): readonly Attempt[] {
    const { quota } = splitQuota(attempt.meters);
    const owed = quota === null ? undefined : this.#owed.get(quota.key);
    if (quota === null || owed === undefined) return [];
    const { cost: _, ...meter } = quota;
    return [{ meters: [{ ...meter, unlimited: true }], cost: owed.cost }];
  }

  /**
   * Takes all debt, as attempts to decide before those of the group. The attempts use the rules of the group, because
   * the months of a key may have moved since.
   */
  pay({ keysById }: Pick<Rules, 'keysById'>): Payment {
    if (this.#owed.size === 0) return NOTHING;
    const paid = [...this.#owed.values()];
    this.#owed.clear();
    return {
      attempts: paid.map(({ apiKeyId, meter, cost }) => {
        const key = keysById.get(apiKeyId);
        return { meters: [key === undefined ? meter : { ...meter, ...findQuotaCounter(key) }], cost };
      }),
      refund: () => {
        for (const owed of paid) this.#add(owed);
      },
    };
  }

  #add(owed: Owed): void {
    const { key } = owed.meter;
    this.#owed.set(key, { ...owed, cost: owed.cost + (this.#owed.get(key)?.cost ?? 0) });
  }
}
