import { createHash } from 'node:crypto';
import type { Limit } from '@/lib/contract/policies';
import type { Facts } from '@/lib/enforcement/decision';
import { classify } from '@/lib/enforcement/route-rules';
import type { KeyRecord, Rules } from '@/lib/enforcement/rules';
import { subjectOf } from '@/lib/limiter/address';
import { counterKey } from '@/lib/limiter/counter-key';
import type { Attempt, EndpointClass, Meter } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** What a request will be measured by, under the rules of one revision. */
export interface Plan {
  class: EndpointClass;
  attempt: Attempt;
  /** Whom each meter counts, in the order of the meters: an address, a user, a client or a key. */
  identifiers: readonly string[];
  key: KeyRecord | null;
  /** The API key that was presented is not one (any more). */
  invalidKey: boolean;
  /** Who bypasses, when the allowlist says so. */
  bypass: { subject: 'ip' | 'user'; identifier: string } | null;
  userId: string | null;
  overrideIds: readonly string[];
}

/** The identifier of all requests whose address nothing trustworthy tells. */
export const UNKNOWN_ADDRESS = 'unknown';

/** The hash under which an API key's secret is stored: SHA-256, base64url. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** The monthly counter of a key. */
export function quotaKey(apiKeyId: string): string {
  return counterKey('quota', apiKeyId, 'all', { kind: 'month' });
}

/** Plans a request: which class, which subjects, which limits. Pure; the counter store does the rest. */
export function plan(rules: Rules, facts: Facts, now: Millis): Plan {
  const classified =
    facts.class === undefined
      ? classify(rules.routeRules, facts.method ?? 'GET', facts.path ?? '/')
      : { class: facts.class, cost: 1 };
  const endpointClass = classified.class;
  const cost = facts.cost ?? classified.cost;
  const key = findKey(rules, facts, now);
  const invalidKey = key === null && (facts.apiKey !== undefined || facts.apiKeyId !== undefined);
  const userId = facts.userId ?? key?.userId ?? null;

  const meters: Meter[] = [];
  const identifiers: string[] = [];
  const overrideIds: string[] = [];
  const add = (
    subject: Meter['subject'],
    identifier: string,
    name: string,
    limit: Limit,
    scope: EndpointClass | 'all',
  ) => {
    const window = { kind: 'sliding', seconds: limit.window_seconds } as const;
    meters.push({ subject, key: counterKey(subject, name, scope, window), limit: limit.limit, window });
    identifiers.push(identifier);
  };

  const bypass = findBypass(rules, facts, userId, now);
  if (bypass === null) {
    const policy = rules.policies.classes[endpointClass];
    if (facts.address !== undefined) {
      const override = facts.address === null ? undefined : rules.addressOverride(facts.address, endpointClass, now);
      if (override !== undefined) overrideIds.push(override.id);
      const limit =
        override === undefined ? policy.ip : { limit: override.limit, window_seconds: override.windowSeconds };
      const name = facts.address === null ? UNKNOWN_ADDRESS : subjectOf(facts.address);
      add('ip', facts.address?.text ?? UNKNOWN_ADDRESS, name, limit, endpointClass);
    }
    const client = key === null ? facts.client : { id: key.id, type: key.clientType };
    if (client !== undefined) add('client', client.id, client.id, rules.policies.clients[client.type], 'all');
    if (userId !== null) {
      const override = rules.userOverride(userId, endpointClass, now);
      if (override !== undefined) overrideIds.push(override.id);
      const limit =
        override === undefined ? policy.user : { limit: override.limit, window_seconds: override.windowSeconds };
      add('user', userId, userId, limit, endpointClass);
    }
  }
  if (key !== null) {
    const unlimited = key.overageAllowed && key.tier !== 'free';
    meters.push({
      subject: 'quota',
      key: quotaKey(key.id),
      limit: rules.policies.tiers[key.tier],
      window: { kind: 'month' },
      unlimited,
    });
    identifiers.push(key.id);
  }
  return { class: endpointClass, attempt: { meters, cost }, identifiers, key, invalidKey, bypass, userId, overrideIds };
}

function findKey(rules: Rules, facts: Facts, now: Millis): KeyRecord | null {
  if (facts.apiKey !== undefined) return rules.keyBySecretHash(secretHash(facts.apiKey), now) ?? null;
  if (facts.apiKeyId !== undefined) return rules.key(facts.apiKeyId, now) ?? null;
  return null;
}

function findBypass(rules: Rules, facts: Facts, userId: string | null, now: Millis): Plan['bypass'] {
  if (facts.address && rules.allowedAddress(facts.address, now) !== undefined)
    return { subject: 'ip', identifier: facts.address.text };
  if (userId !== null && rules.allowedUser(userId, now) !== undefined) return { subject: 'user', identifier: userId };
  return null;
}
