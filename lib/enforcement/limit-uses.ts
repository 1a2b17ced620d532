import type { LimitState } from '@/lib/enforcement/limit-state';
import type { Plan } from '@/lib/enforcement/plan';
import type { LimitUse, UsedShares } from '@/lib/statistics/decision-event';

const NO_USES: readonly LimitUse[] = [];

/** Highest share that is recorded, in percent. */
const MOST_PERCENT = 1_000;

/** Returns the used share of a limit in whole percent, rounded down. 100 for a limit of 0. */
function computePercent({ used, limit }: LimitState): number {
  return limit === 0 ? 100 : Math.min(MOST_PERCENT, Math.floor((used / limit) * 100));
}

/**
 * Lists what a decision counts against each named limit and subject. The windows of a limit count once.
 * @param limits states of the meters of the plan, in their order
 */
export function listLimitUses({ attempt }: Pick<Plan, 'attempt'>, limits: readonly LimitState[]): readonly LimitUse[] {
  let uses: LimitUse[] | null = null;
  for (let index = 0; index < limits.length; index += 1) {
    const state = limits[index];
    const named = state?.named;
    if (state === undefined || named === undefined) continue;
    const percent = computePercent(state);
    uses ??= [];
    // The windows of a limit are adjacent, and its places are last.
    const last = uses.at(-1);
    if (last !== undefined && last.name === named.name && last.subject === named.subject) {
      last.percent = Math.max(last.percent, percent);
      continue;
    }
    const units = attempt.meters[index]?.cost ?? attempt.cost;
    uses.push({ name: named.name, subject: named.subject, units, percent });
  }
  return uses ?? NO_USES;
}

/** Finds the used shares of the limits of a class. */
export function findUsedShares(limits: readonly LimitState[]): UsedShares {
  const shares: UsedShares = { ip: null, user: null, client: null };
  for (const state of limits) {
    const { subject } = state;
    if (subject === 'ip' || subject === 'user' || subject === 'client') shares[subject] = computePercent(state);
  }
  return shares;
}
