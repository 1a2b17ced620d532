import { hashSecret } from '@/lib/auth/secret-hash';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { Limit } from '@/lib/contract/policies';
import { classify } from '@/lib/enforcement/route-rules';
import type { KeyRecord, OverrideRecord, Rules } from '@/lib/enforcement/rules';
import type { ApiKeyId } from '@/lib/ids';
import { type Address, subjectOf } from '@/lib/limiter/address';
import { type CounterScope, counterKey } from '@/lib/limiter/counter-key';
import type { Attempt, EndpointClass, Meter } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** What is known of a request before its decision. */
export interface Facts {
  method: string | null;
  /** Without query. */
  path: string | null;
  /** From a check; by default the route rules decide. */
  class?: EndpointClass;
  /** Null without a trusted address: all such requests share one counter. Undefined: no address is counted. */
  address: Address | null | undefined;
  /** The secret in `X-API-Key`. */
  apiKey?: string;
  /** UUID of an API key, from a caller that has verified the secret itself. */
  apiKeyId?: string;
  /** An OAuth client, on the authorization server's endpoints. */
  client?: { id: string; type: ClientType };
  /** The caller has a session of the console; only told for the lab's endpoints. */
  signedIn?: boolean;
  /** Of a verified token or session. */
  userId?: string;
  /** By default that of the route rule, else 1. */
  cost?: number;
  requestId: string | null;
}

/** What a request is counted against, under the rules of one revision. */
export interface Plan {
  class: EndpointClass;
  attempt: Attempt;
  /** The subject of each meter, in the order of the meters: an address, a user, a client or a key. */
  identifiers: readonly string[];
  key: KeyRecord | null;
  /** The request carries an API key that is unknown, revoked or expired. */
  invalidKey: boolean;
  /** The allowlisted subject. */
  bypass: { subject: 'ip' | 'user'; identifier: string } | null;
  userId: string | null;
  overrideIds: readonly string[];
}

/** The identifier of all requests without a trusted address. */
const UNKNOWN_ADDRESS = 'unknown';

/** The monthly counter of a key. */
export function quotaKey(apiKeyId: ApiKeyId): string {
  return counterKey('quota', apiKeyId, 'all', { kind: 'month' });
}

/** Plans a request: its class, subjects and limits. Pure. */
export function plan(rules: Rules, facts: Facts, now: Millis): Plan {
  const { class: endpointClass, cost: defaultCost } =
    facts.class === undefined
      ? classify(rules.routeRules, facts.method ?? 'GET', facts.path ?? '/', facts.signedIn)
      : { class: facts.class, cost: 1 };
  const cost = facts.cost ?? defaultCost;
  const key = findKey(rules, facts, now);
  const invalidKey = key === null && (facts.apiKey !== undefined || facts.apiKeyId !== undefined);
  const userId = facts.userId ?? key?.userId ?? null;

  const meters: Meter[] = [];
  const identifiers: string[] = [];
  const overrideIds: string[] = [];
  const add = (subject: Meter['subject'], identifier: string, name: string, limit: Limit, scope: CounterScope) => {
    const window = { kind: 'sliding', seconds: limit.window_seconds } as const;
    meters.push({ subject, key: counterKey(subject, name, scope, window), limit: limit.limit, window });
    identifiers.push(identifier);
  };

  const overridden = (limit: Limit, override: OverrideRecord | undefined): Limit => {
    if (override === undefined) return limit;
    overrideIds.push(override.id);
    return { limit: override.limit, window_seconds: override.windowSeconds };
  };

  const bypass = findBypass(rules, facts, userId, now);
  if (bypass === null) {
    const policy = rules.policies.classes[endpointClass];
    if (facts.address !== undefined) {
      const override = facts.address === null ? undefined : rules.addressOverride(facts.address, endpointClass, now);
      const limit = overridden(policy.ip, override);
      const name = facts.address === null ? UNKNOWN_ADDRESS : subjectOf(facts.address);
      add('ip', facts.address?.text ?? UNKNOWN_ADDRESS, name, limit, endpointClass);
    }
    const client = key === null ? facts.client : { id: key.id, type: key.clientType };
    if (client !== undefined) add('client', client.id, client.id, rules.policies.clients[client.type], 'all');
    if (userId !== null) {
      const limit = overridden(policy.user, rules.userOverride(userId, endpointClass, now));
      add('user', userId, userId, limit, endpointClass);
    }
  }
  if (key !== null) {
    const unlimited = key.overageAllowed && key.tier !== 'free';
    const limit = rules.policies.tiers[key.tier];
    meters.push({ subject: 'quota', key: quotaKey(key.id), limit, window: { kind: 'month' }, unlimited });
    identifiers.push(key.id);
  }
  return { class: endpointClass, attempt: { meters, cost }, identifiers, key, invalidKey, bypass, userId, overrideIds };
}

function findKey(rules: Rules, facts: Facts, now: Millis): KeyRecord | null {
  if (facts.apiKey !== undefined) return rules.keyBySecretHash(hashSecret(facts.apiKey), now) ?? null;
  if (facts.apiKeyId !== undefined) return rules.key(facts.apiKeyId, now) ?? null;
  return null;
}

function findBypass(rules: Rules, facts: Facts, userId: string | null, now: Millis): Plan['bypass'] {
  if (facts.address && rules.allowedAddress(facts.address, now) !== undefined)
    return { subject: 'ip', identifier: facts.address.text };
  if (userId !== null && rules.allowedUser(userId, now) !== undefined) return { subject: 'user', identifier: userId };
  return null;
}
