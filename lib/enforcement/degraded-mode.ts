import type { Breaker } from '@/lib/counters/breaker';
import type { CounterStore } from '@/lib/counters/store';
import type { Decision, Facts } from '@/lib/enforcement/decision';
import { type Plan, plan } from '@/lib/enforcement/plan';
import type { QuotaDebt } from '@/lib/enforcement/quota-debt';
import type { Rules } from '@/lib/enforcement/rules';
import { toDecision, unavailable } from '@/lib/enforcement/to-decision';
import { toEvent } from '@/lib/enforcement/to-event';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

export interface DegradedModeOptions {
  /** Counters of this process alone. */
  local: CounterStore;
  breaker: Pick<Breaker, 'retryIn'>;
  debt: QuotaDebt;
  record: (event: DecisionEvent) => void;
}

/**
 * Decides while the store is down: half the limit in this process for classes with `on_store_failure: local`, a refusal
 * for the others. Quotas are charged when the store is back.
 */
export class DegradedMode {
  constructor(private readonly options: DegradedModeOptions) {}

  decide(requests: readonly Facts[], rules: Rules, now: Millis): Promise<Decision[]> {
    const retryAfter = Math.max(1, Math.ceil(this.options.breaker.retryIn / 1000));
    return Promise.all(
      requests.map(async (facts) => {
        const planned = plan(rules, facts, now);
        const decision =
          rules.policies.classes[planned.class].on_store_failure === 'closed'
            ? unavailable(planned, now, retryAfter, 'The counter store is down, and this class is closed without it.')
            : await this.#decideLocally(planned);
        this.options.record(toEvent(facts, planned, decision));
        return decision;
      }),
    );
  }

  async #decideLocally(planned: Plan): Promise<Decision> {
    const halved = halve(planned);
    const commit = await this.options.local.commit(0, [halved.attempt]);
    const verdict = commit.kind === 'decided' ? commit.verdicts[0] : undefined;
    if (commit.kind === 'stale' || verdict === undefined) throw new Error('The local counters decided nothing.');
    const decision = toDecision(halved, verdict, commit.now, true);
    if (decision.outcome !== 'refused') this.options.debt.add(planned);
    return decision;
  }
}

/** The plan at half its limits (rounded down, at least 1; 0 stays 0), without the quota. */
function halve(planned: Plan): Plan {
  const { cost, meters } = planned.attempt;
  const halved = meters
    .filter(({ subject }) => subject !== 'quota')
    .map((meter) => ({ ...meter, limit: meter.limit === 0 ? 0 : Math.max(1, Math.floor(meter.limit / 2)) }));
  return { ...planned, attempt: { cost, meters: halved } };
}
