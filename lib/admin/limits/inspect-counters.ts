import { countedSubject } from '@/lib/admin/limits/counter-selection';
import { inspectCounters as contract, type InspectedCounter } from '@/lib/contract/counters';
import type { IdentifierType } from '@/lib/contract/fields/enumerations';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Limit } from '@/lib/contract/policies';
import type { CounterState } from '@/lib/counters/store';
import type { Rules } from '@/lib/enforcement/rules';
import { invalidField } from '@/lib/http/input';
import { parseRange } from '@/lib/limiter/address';
import { counterKey } from '@/lib/limiter/counter-key';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';
import { SLOTS, slotAt, slotStart } from '@/lib/limiter/window';
import { implement } from '@/lib/operation/operation';
import type { Millis } from '@/lib/units';

/** The live counters of one identifier, one for each class. */
export const inspectCounters = implement(contract, async (context, { query: { type, identifier } }) => {
  const { counters, rules: cache } = context.services;
  const rules = await cache.fresh();
  const subject = subjectOf(rules, type, identifier, context.now);
  const planned = ENDPOINT_CLASSES.map((endpointClass) => {
    const limit = subject.limitIn(endpointClass);
    const window = { kind: 'sliding', seconds: limit.window_seconds } as const;
    return { class: endpointClass, limit, window, key: counterKey(subject.kind, subject.name, endpointClass, window) };
  });
  const states = await counters.read(planned.map(({ key, window }) => ({ key, window })));
  return {
    type,
    identifier,
    allowlisted: subject.allowlisted,
    counters: planned.flatMap((counter, index) => {
      const state = states[index];
      return state === undefined ? [] : [inspected(counter.class, counter.limit, state)];
    }),
  };
});

/** The subject that an identifier is counted as, and its limits. @throws ApiError invalid_request for a wide range */
function subjectOf(rules: Rules, type: IdentifierType, identifier: string, now: Millis) {
  const range = type === 'ip' ? parseRange(identifier) : null;
  const name = type === 'ip' ? range && countedSubject(range) : identifier;
  if (name === null) throw invalidField('identifier', 'must be one address or an IPv6 range within one /64');
  const kind = range === null ? 'user' : 'ip';
  const entry = range === null ? rules.allowedUser(identifier, now) : rules.allowedAddress(range.first, now);
  const limitIn = (endpointClass: EndpointClass): Limit => {
    const override =
      range === null
        ? rules.userOverride(identifier, endpointClass, now)
        : rules.addressOverride(range.first, endpointClass, now);
    if (override === undefined) return rules.policies.classes[endpointClass][kind];
    return { limit: override.limit, window_seconds: override.windowSeconds };
  };
  return { kind, name, allowlisted: entry !== undefined, limitIn } as const;
}

function inspected(name: EndpointClass, { limit, window_seconds }: Limit, state: CounterState): InspectedCounter {
  const newest = slotAt(state.now, window_seconds);
  const hits = new Map<number, number>();
  for (const slot of state.slots) {
    // The slot that is just leaving the window is shown with the oldest one.
    const index = Math.max(slotAt(slot.start, window_seconds), newest - SLOTS + 1);
    hits.set(index, (hits.get(index) ?? 0) + slot.hits);
  }
  return {
    class: name,
    limit,
    used: state.used,
    remaining: Math.max(0, limit - state.used),
    reset: Math.ceil(state.reset / 1000),
    window_seconds,
    slots: Array.from({ length: SLOTS }, (_, position) => {
      const slot = newest - SLOTS + 1 + position;
      return { start: toInstant(slotStart(slot, window_seconds)), hits: hits.get(slot) ?? 0 };
    }),
  };
}
