import { readIncidentInForce } from '@/lib/admin/incident/stored';
import { createSourceFinder, readStoredBypass } from '@/lib/admin/limits/limit-source';
import { explainDecision as contract, type DecisionExplanation } from '@/lib/contract/explain';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { findProtection } from '@/lib/enforcement/admission';
import { buildCheckResult } from '@/lib/enforcement/decision-api/check-result';
import { convertCheckToFacts } from '@/lib/enforcement/decision-api/read-checks';
import { requireLimits } from '@/lib/enforcement/decision-api/require-limits';
import { isStoreRequired } from '@/lib/enforcement/degraded-mode';
import { measureWindow } from '@/lib/enforcement/limit-state';
import type { Plan } from '@/lib/enforcement/plan';
import { countSecondsUntil } from '@/lib/enforcement/refusal';
import type { Rules } from '@/lib/enforcement/rules';
import type { Measure } from '@/lib/enforcement/trace';
import { formatAddressSubject } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import { implement } from '@/lib/operation/operation';
import type { Millis } from '@/lib/units';

/** Explains the decision that the next check of a request would make, with the source of each number. */
export const explainDecision = implement(contract, async (context, { body }) => {
  const { config, database, engine, rules: cache } = context.services;
  const { api_key_id: apiKeyId, ...check } = body;
  const facts = convertCheckToFacts(check, context.requestId);
  if (apiKeyId !== undefined) facts.apiKeyId = apiKeyId;
  const rules = await cache.readFresh();
  await requireLimits(cache, [facts]);
  const traced = await engine.explain(facts);
  const { planned, unbypassed, decision } = traced;

  const findSource = await createSourceFinder(database, [unbypassed]);
  const bypass = await readStoredBypass(database, planned);
  const refusedBy = decision.refusal?.violated ?? [];
  const buildSourcedStanding = (measure: Measure) => ({
    ...convertMeasure(measure, traced.at),
    source: findSource(unbypassed, measure.meter),
    refuses: measure.meter.named === undefined ? refusedBy.includes(measure.meter.subject) : measure.retryAt !== null,
  });

  const { global } = rules.policies;
  const { key } = planned;
  const quota = traced.measures.find(({ meter }) => meter.subject === 'quota');
  const served = facts.path !== null && findProtection(facts.path, config.SLUICE_UPSTREAM !== undefined) !== 'own';
  return {
    at: formatTimestamp(traced.at),
    class: planned.class,
    class_source: findClassSource(rules, planned, facts.class),
    cost: planned.cost,
    cost_source: facts.cost !== undefined ? 'request' : findCostSource(rules, planned),
    ...(planned.uncounted === true ? { preflight: true } : {}),
    throttle: {
      ...global,
      used: traced.throttled,
      remaining: Math.max(0, global.limit - traced.throttled),
      counted: served,
    },
    store: {
      available: !traced.storeDown,
      on_failure: isStoreRequired(unbypassed, rules) ? ('closed' as const) : ('local' as const),
    },
    incident: planned.incident === null ? null : await readIncidentInForce(database, traced.at),
    api_key:
      key === null && !planned.invalidKey
        ? null
        : { valid: key !== null, id: key?.id ?? null, name: key?.name ?? null },
    subjects: traced.measures.flatMap((measure) => {
      const { meter } = measure;
      if (meter.subject === 'quota') return [];
      const { identifier } = meter;
      const counted = meter.subject === 'ip' && facts.address ? formatAddressSubject(facts.address) : identifier;
      return [
        {
          subject: meter.subject,
          identifier,
          counted_as: counted,
          name: meter.subject === 'client' ? (key?.name ?? null) : null,
          cost: meter.cost ?? planned.cost,
          ...(meter.named === undefined ? {} : { limit_name: meter.named.name }),
          ...(meter.named?.isPlace === true ? { in_flight: true as const } : {}),
          bypass,
          window_seconds: measureWindow(meter.window),
          ...buildSourcedStanding(measure),
        },
      ];
    }),
    quota:
      key === null || quota === undefined
        ? null
        : {
            api_key_id: key.id,
            name: key.name,
            tier: key.tier,
            overage_allowed: quota.meter.unlimited === true,
            granted: unbypassed.granted,
            ...buildSourcedStanding(quota),
          },
    refused_by: [...refusedBy],
    decision: buildCheckResult(decision),
  };
});

function convertMeasure({ meter, reading, retryAt }: Measure, now: Millis) {
  return {
    limit: meter.limit,
    used: reading?.used ?? null,
    remaining: reading?.remaining ?? null,
    reset: reading === null ? null : Math.ceil(reading.reset / 1000),
    retry_after: retryAt === null || !Number.isFinite(retryAt) ? null : countSecondsUntil(retryAt, now),
  };
}

function findRule(rules: Rules, { rule }: Plan) {
  return rule === null ? undefined : rules.routeRules[rule]?.rule;
}

function findCostSource(rules: Rules, planned: Plan): DecisionExplanation['cost_source'] {
  // Another rule, which matches another reading of the path, may set the cost.
  return findRule(rules, planned)?.cost === undefined && planned.cost === 1 ? 'default' : 'route_rule';
}

const DEFAULTS: Readonly<Record<EndpointClass, string>> = {
  auth: 'the authorization server and sign-in attempts',
  read: 'safe methods, such as GET and HEAD',
  write: 'methods that change something',
  lab: "the lab's endpoints, for signed-in members",
  sensitive: 'only by a route rule',
};

function findClassSource(
  rules: Rules,
  planned: Plan,
  named: EndpointClass | null | undefined,
): DecisionExplanation['class_source'] {
  if (planned.class === null) return { kind: 'request', detail: 'None: only named limits decide' };
  if (named !== undefined) return { kind: 'request', detail: 'Named by the request' };
  const rule = findRule(rules, planned);
  if (planned.rule === null || rule === undefined)
    return { kind: 'default', detail: `Built-in default: ${DEFAULTS[planned.class]}` };
  const { method = '*', path = '*' } = rule;
  const position = planned.rule + 1;
  return { kind: 'route_rule', rule: position, method, path, detail: `Route rule ${position}: ${method} ${path}` };
}
