import { requireRegisteredKey } from '@/lib/admin/keys/row';
import { findLimit, findRangeSubject } from '@/lib/admin/limits/counter-selection';
import { createSourceFinder, readStoredBypass } from '@/lib/admin/limits/limit-source';
import { inspectCounters as contract, type InspectedCounter } from '@/lib/contract/counters';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { AnswerOf, QueryOf } from '@/lib/contract/operation';
import type { CounterState } from '@/lib/counters/store';
import { measureWindow } from '@/lib/enforcement/limit-state';
import { type Facts, plan } from '@/lib/enforcement/plan';
import { createInvalidField } from '@/lib/http/input';
import type { ApiKeyId } from '@/lib/ids';
import { parseRange } from '@/lib/limiter/address';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { computeSlot, computeSlotStart, SLOTS } from '@/lib/limiter/window';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';
import type { Seconds } from '@/lib/units';

/** Shows the live counters of one caller, with the source of each limit. */
export const inspectCounters = implement(contract, async (context, { query }) => {
  const { counters, database, rules: cache } = context.services;
  const { type, identifier } = query;
  const key = type === 'api_key' ? await requireRegisteredKey(database, identifier as ApiKeyId) : null;
  const rules = await cache.readFresh();
  const limit = await findLimit(cache, query.limit_name);
  const { subject, facts } = buildInspectedFacts(
    context,
    query,
    limit === undefined ? [...rules.limits.keys()] : [limit.name],
  );
  const classes = subject === 'client' ? (['read'] as const) : subject === 'limit' ? [null] : ENDPOINT_CLASSES;
  const plans = classes.map((name) => plan(rules, { ...facts, class: name }, context.now, false));
  const measured = plans.flatMap((planned) =>
    planned.attempt.meters
      .filter((meter) => [subject, 'limit', 'quota'].includes(meter.subject))
      .map((meter) => ({ planned, meter })),
  );
  const states = await counters.read(measured.map(({ meter }) => meter));
  const findSource = await createSourceFinder(database, plans);
  const bypass = await readStoredBypass(database, plan(rules, { class: null, ...facts }, context.now));
  const inspected: InspectedCounter[] = [];
  let quota: AnswerOf<typeof contract>['quota'] = null;
  for (const [index, { planned, meter }] of measured.entries()) {
    const state = states[index];
    if (state === undefined) throw new Error('The counter store left a counter out.');
    const { limit, window } = meter;
    const standing = { limit, source: findSource(planned, meter), ...computeStanding(limit, state) };
    const seconds = measureWindow(window);
    if (meter.named !== undefined) {
      const { name, isPlace } = meter.named;
      const named = {
        limit_name: name,
        unit: rules.limits.get(name)?.unit ?? '',
        ...(isPlace && { in_flight: isPlace }),
      };
      const slots = window.kind === 'month' ? [] : listSlots(state, seconds);
      inspected.push({ class: null, ...named, ...standing, window_seconds: seconds, slots });
    } else if (window.kind === 'month') {
      const { tier = 'free', overageAllowed = false } = planned.key ?? {};
      quota = { tier, overage_allowed: overageAllowed, granted: planned.granted, ...standing };
    } else {
      const name = subject === 'client' ? 'all' : planned.class;
      inspected.push({ class: name, ...standing, window_seconds: seconds, slots: listSlots(state, seconds) });
    }
  }
  const { name = null } = key ?? {};
  return { type, identifier, name, allowlisted: bypass !== null, bypass, counters: inspected, quota };
});

/** Builds a request of the caller, and names its counted subject. @throws ApiError invalid_request for a wide range */
function buildInspectedFacts(
  { services, facts: { origin }, requestId }: Context,
  query: QueryOf<typeof contract>,
  names: readonly string[],
) {
  const { type, identifier } = query;
  const facts: Facts = { method: null, path: null, address: undefined, requestId };
  const createLimits = (subject: string | null) => names.map((name) => ({ name, subject, cost: 1 }));
  if (type === 'subject') return { subject: 'limit', facts: { ...facts, limits: createLimits(identifier) } } as const;
  if (type === 'user_id') return { subject: 'user', facts: { ...facts, userId: identifier } } as const;
  if (type === 'api_key')
    return { subject: 'client', facts: { ...facts, apiKeyId: identifier, limits: createLimits(null) } } as const;
  if (type === 'client_id') {
    const clientType: ClientType = query.client_type ?? services.labIdentity.clientType(origin, identifier);
    return { subject: 'client', facts: { ...facts, client: { id: identifier, type: clientType } } } as const;
  }
  const range = parseRange(identifier);
  if (range === null || findRangeSubject(range) === null)
    throw createInvalidField('identifier', 'must be one address or an IPv6 range within one /64');
  return { subject: 'ip', facts: { ...facts, address: range.first } } as const;
}

function computeStanding(limit: number, { used, reset }: CounterState) {
  return { used, remaining: Math.max(0, limit - used), reset: Math.ceil(reset / 1000) };
}

function listSlots({ now, slots }: CounterState, seconds: Seconds): InspectedCounter['slots'] {
  const newest = computeSlot(now, seconds);
  const hits = new Map<number, number>();
  for (const slot of slots) {
    // The oldest slot includes the hits of the slot that is leaving the window.
    const index = Math.max(computeSlot(slot.start, seconds), newest - SLOTS + 1);
    hits.set(index, (hits.get(index) ?? 0) + slot.hits);
  }
  return Array.from({ length: SLOTS }, (_, position) => {
    const slot = newest - SLOTS + 1 + position;
    return { start: formatTimestamp(computeSlotStart(slot, seconds)), hits: hits.get(slot) ?? 0 };
  });
}
