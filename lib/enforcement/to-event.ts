import type { Decision, Facts } from '@/lib/enforcement/decision';
import type { Plan } from '@/lib/enforcement/plan';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

/** A decision as the statistics keep it. @param throttled whether the throttle of the instance refused it */
export function toEvent(facts: Facts, planned: Plan, decision: Decision, throttled = false): DecisionEvent {
  const subject = throttled ? 'global' : (decision.refusal?.violated[0] ?? planned.bypass?.subject ?? null);
  const position = planned.attempt.meters.findIndex((meter) => meter.subject === subject);
  return {
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
  };
}
