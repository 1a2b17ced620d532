import type { Leases } from '@/lib/counters/leases';
import { buildDecision, buildDecisionEvent, type Decision } from '@/lib/enforcement/decision';
import type { GlobalThrottle, PendingRequest } from '@/lib/enforcement/instance-throttle';
import { plan } from '@/lib/enforcement/plan';
import type { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

interface LeasedDecisionsOptions {
  /** Undefined if the counters are not in Redis. */
  leases?: Leases | undefined;
  rules: Pick<RulesCache, 'current'>;
  throttle: GlobalThrottle;
  clock: () => Millis;
  record: (event: DecisionEvent) => void;
}

/** Decides requests without a call of the counter store, if this instance holds permits for all of their limits. */
export class LeasedDecisions {
  #seen: (Pick<Rules, 'policies' | 'limits'> & { hasLeases: boolean }) | null = null;

  constructor(private readonly options: LeasedDecisionsOptions) {}

  /** True if any class or named limit has a lease. Hardly any installation needs one. */
  get isPossible(): boolean {
    const { leases, rules } = this.options;
    if (leases === undefined) return false;
    const { policies, limits } = rules.current;
    if (this.#seen?.policies !== policies || this.#seen.limits !== limits) {
      const leased = [...ENDPOINT_CLASSES.map((name) => policies.classes[name]), ...limits.values()];
      this.#seen = { policies, limits, hasLeases: leased.some(({ lease }) => lease !== null) };
    }
    return this.#seen.hasLeases;
  }

  /** @param skew store minus local @returns null if the store has to decide */
  decide({ facts, served }: PendingRequest, skew: Millis): Decision | null {
    const { leases, rules, throttle, clock, record } = this.options;
    const { revision, policies } = rules.current;
    // A permit does not prove that the caller's token is valid.
    if (leases === undefined || facts.caller !== undefined) return null;
    const now = leases.readClock();
    const planned = plan(rules.current, facts, now.wall + skew);
    // Candidates count in the store.
    if (planned.trials.length > 0) return null;
    const spent = leases.spend(revision, planned.attempt, now);
    if (spent === null) return null;
    const { limit, window_seconds: seconds } = policies.global;
    if (served && throttle.take(limit, seconds, clock()).retryAt !== null) {
      leases.undoSpend(planned.attempt);
      return null;
    }
    const decision = buildDecision(facts, planned, spent.verdict, { revision, now: spent.at });
    record(buildDecisionEvent(facts, planned, decision));
    return decision;
  }
}

/** Merges the decisions of the store into the gaps between leased decisions. */
export function mergeLeased(leased: readonly (Decision | null)[], decided: readonly Decision[]): Decision[] {
  let next = 0;
  return leased.map((own) => {
    const decision = own ?? decided[next++];
    if (decision === undefined) throw new Error('A request was left without a decision.');
    return decision;
  });
}
