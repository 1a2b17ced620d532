import { z } from 'zod';
import { countedSubject } from '@/lib/admin/limits/counter-selection';
import { inspectCounters as contract, type InspectedCounter } from '@/lib/contract/counters';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Limit } from '@/lib/contract/policies';
import type { CounterState } from '@/lib/counters/store';
import type { Rules } from '@/lib/enforcement/rules';
import { invalidField } from '@/lib/http/input';
import { type Address, parseRange } from '@/lib/limiter/address';
import { counterKey } from '@/lib/limiter/counter-key';
import { ENDPOINT_CLASSES, type EndpointClass, type Millis, type Seconds } from '@/lib/limiter/meter';
import { SLOTS, slotAt, slotStart } from '@/lib/limiter/window';
import { implement } from '@/lib/operation/operation';

const _Query = z.strictObject(identifierFields).transform(withCanonicalIdentifier);

/** The live counters of one identifier, one for each class. */
export const inspectCounters = implement(contract, async (context, { query: { type, identifier } }) => {
  const { counters, rules: cache } = context.services;
  const rules = await cache.fresh();
  const subject =
    type === 'ip' ? addressSubject(rules, identifier, context.now) : userSubject(rules, identifier, context.now);
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
    counters: planned.flatMap((one, index) => {
      const state = states[index];
      return state === undefined ? [] : [inspected(one.class, one.limit, state)];
    }),
  };
});

interface Subject {
  kind: 'ip' | 'user';
  name: string;
  allowlisted: boolean;
  limitIn: (endpointClass: EndpointClass) => Limit;
}

function addressSubject(rules: Rules, identifier: string, now: Millis): Subject {
  const range = parseRange(identifier);
  const name = range && countedSubject(range);
  if (range === null || name === null)
    throw invalidField('identifier', 'must be one address or an IPv6 range within one /64');
  const address: Address = range.first;
  return {
    kind: 'ip',
    name,
    allowlisted: rules.allowedAddress(address, now) !== undefined,
    limitIn: (endpointClass) =>
      ownLimit(rules.addressOverride(address, endpointClass, now)) ?? rules.policies.classes[endpointClass].ip,
  };
}

function userSubject(rules: Rules, userId: string, now: Millis): Subject {
  return {
    kind: 'user',
    name: userId,
    allowlisted: rules.allowedUser(userId, now) !== undefined,
    limitIn: (endpointClass) =>
      ownLimit(rules.userOverride(userId, endpointClass, now)) ?? rules.policies.classes[endpointClass].user,
  };
}

function ownLimit(override: { limit: number; windowSeconds: Seconds } | undefined): Limit | undefined {
  return override && { limit: override.limit, window_seconds: override.windowSeconds };
}

function inspected(
  endpointClass: EndpointClass,
  { limit, window_seconds }: Limit,
  state: CounterState,
): InspectedCounter {
  const newest = slotAt(state.now, window_seconds);
  const hits = new Map<number, number>();
  for (const slot of state.slots) {
    // The slot that is just leaving the window is shown with the oldest one.
    const index = Math.max(slotAt(slot.start, window_seconds), newest - SLOTS + 1);
    hits.set(index, (hits.get(index) ?? 0) + slot.hits);
  }
  return {
    class: endpointClass,
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
