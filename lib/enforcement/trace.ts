import type { Breaker } from '@/lib/counters/breaker';
import { peek } from '@/lib/counters/peek';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { convertVerdict, type Decision } from '@/lib/enforcement/decision';
import type { DegradedMode, QuotaDebt } from '@/lib/enforcement/degraded-mode';
import type { GlobalThrottle } from '@/lib/enforcement/instance-throttle';
import { type Facts, type Plan, plan } from '@/lib/enforcement/plan';
import type { PlannedMeter } from '@/lib/enforcement/planned-meter';
import type { Rules } from '@/lib/enforcement/rules';
import { buildReadAttempt } from '@/lib/limiter/costs';
import type { Reading } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** One limit of a request. */
export interface Measure {
  meter: PlannedMeter;
  /** State before the request. Null if it cannot be read. */
  reading: Reading | null;
  /** When such a request fits. Null if it fits now, `Infinity` if it never will. */
  retryAt: Millis | null;
}

/** A simulated decision, with its reasons. */
export interface Trace {
  at: Millis;
  decision: Decision;
  planned: Plan;
  /** The plan without the bypass. Equals `planned` if there is none. */
  unbypassed: Plan;
  /** Every limit of `unbypassed`, in the order of the meters. */
  measures: readonly Measure[];
  storeDown: boolean;
  /** Requests in the window of the instance's throttle. */
  throttled: number;
}

export interface TraceParts {
  store: Pick<CounterStore, 'read'>;
  breaker: Breaker;
  rules: Rules;
  clock: () => Millis;
  /** Clock skew (store minus local). */
  skew: Millis;
  throttle: GlobalThrottle;
  degradedMode: DegradedMode;
  debt: QuotaDebt;
}

/** Returns the decision that the engine would make now if another server served the request. Consumes nothing. */
export async function trace(parts: TraceParts, facts: Facts): Promise<Trace> {
  const { store, breaker, rules, clock, skew, throttle, degradedMode, debt } = parts;
  const throttled = throttle.countHits(rules.policies.global.window_seconds, clock());
  const planBoth = (now: Millis) => {
    const planned = plan(rules, facts, now);
    return { planned, unbypassed: planned.bypass === null ? planned : plan(rules, facts, now, false) };
  };
  const { planned, unbypassed } = planBoth(clock() + skew);
  try {
    const standing = buildReadAttempt(unbypassed.attempt.meters);
    const owed = debt.findDebt(planned);
    const attempts = [...owed, standing, planned.attempt];
    const { now, verdicts } = await breaker.run(() => peek(store, attempts, () => clock() + skew));
    const [before, verdict] = verdicts.slice(owed.length);
    if (before === undefined || verdict === undefined) throw new Error('A verdict was left out.');
    const decision = convertVerdict(planned, verdict, now, false);
    const measures = buildMeasures(unbypassed, before.readings, planned, verdict.readings);
    return { at: now, decision, planned, unbypassed, measures, storeDown: false, throttled };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const now = clock();
    const { planned, unbypassed } = planBoth(now);
    const degraded = await degradedMode.peek(rules, planned, unbypassed, now);
    const { halved, readings, whole, decision } = degraded;
    const measures = buildMeasures(whole, readings.before, halved, readings.after);
    return { at: now, decision, planned, unbypassed, measures, storeDown: true, throttled };
  }
}

function buildMeasures(
  whole: Plan,
  before: readonly (Reading | undefined)[],
  planned: Plan,
  after: readonly (Reading | undefined)[],
): Measure[] {
  return whole.attempt.meters.map((meter, index) => {
    const own = planned.attempt.meters.findIndex(({ key }) => key === meter.key);
    return {
      meter,
      reading: before[index] ?? null,
      retryAt: after[own]?.retryAt ?? null,
    };
  });
}
