import type { ClientType, QuotaTier } from '@/lib/contract/fields/enumerations';
import type { Policies } from '@/lib/contract/policies';
import type { ActiveStore } from '@/lib/counters/active-store';
import type { CandidateRulesRecord, Candidates } from '@/lib/enforcement/candidates';
import type { CompiledRule } from '@/lib/enforcement/classify';
import type { IncidentRecord } from '@/lib/enforcement/incident';
import type { KeyWindows, NamedLimits, SubjectOverride } from '@/lib/enforcement/named-limits';
import type { UserId } from '@/lib/ids';
import type { Address } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import { RangeIndex } from '@/lib/limiter/range-index';
import type { Millis, Seconds } from '@/lib/units';

/** An API key, as the limiter uses it. */
export interface KeyRecord {
  id: string;
  name: string;
  tier: QuotaTier;
  clientType: ClientType;
  userId: UserId | null;
  overageAllowed: boolean;
  /** Day on which the months of its quota begin, 1 to 31, and the shift of their numbers. */
  monthStartsOn: number;
  monthShift: number;
  secretHash: string;
  previousSecretHash: string | null;
  previousSecretUntil: Millis | null;
  expiresAt: Millis | null;
  /** Windows of named limits for this key, if it has any. */
  limits?: KeyWindows | null;
}

/** A limit of one identifier in one class that replaces the policy limit. */
export interface OverrideRecord {
  id: string;
  limit: number;
  windowSeconds: Seconds;
  expiresAt: Millis | null;
  /** True if it covers more than one address, or more than one /64 of IPv6. */
  isRange: boolean;
}

/** A grant, as the limiter uses it. */
export interface GrantRecord {
  id: string;
  apiKeyId: string;
  requests: number;
  until: Millis;
}

/** An allowlist entry, as the limiter uses it. */
export interface AllowRecord {
  id: string;
  expiresAt: Millis | null;
}

const isLive = (now: Millis) => (record: { expiresAt: Millis | null }) =>
  record.expiresAt === null || record.expiresAt > now;

function dropExpired<T extends { expiresAt: Millis | null }>(record: T | undefined, now: Millis): T | undefined {
  return record !== undefined && isLive(now)(record) ? record : undefined;
}

const NO_GRANTS: readonly GrantRecord[] = [];

/** The rules of one revision. `RulesCache` changes them in place, within one turn of the event loop. */
export class Rules {
  revision = 0;
  /** Active store of the counters. Null if they were never moved. */
  activeStore: ActiveStore | null = null;
  routeRules: readonly CompiledRule[] = [];
  /** The named limits, by name. */
  limits: NamedLimits = new Map();
  /** The last incident that was started and not ended. It may have expired. */
  incident: IncidentRecord | null = null;
  /** Limits that only count, in the shadow of policy limits. Null if there are none. */
  candidates: Candidates | null = null;
  /** Route rules that only count, in the shadow of the applied rules. Null if there are none. */
  candidateRules: CandidateRulesRecord | null = null;
  readonly allowedRanges = new RangeIndex<AllowRecord>();
  readonly allowedUsers = new Map<string, AllowRecord>();
  readonly overriddenRanges: Record<EndpointClass, RangeIndex<OverrideRecord>> = {
    auth: new RangeIndex(),
    sensitive: new RangeIndex(),
    read: new RangeIndex(),
    write: new RangeIndex(),
    lab: new RangeIndex(),
  };
  readonly overriddenUsers = new Map<string, OverrideRecord>();
  /** Overrides of named limits, by the name of the limit and the subject. */
  readonly overriddenSubjects = new Map<string, SubjectOverride>();
  readonly keysById = new Map<string, KeyRecord>();
  readonly #grants = new Map<string, ReadonlyMap<string, GrantRecord>>();
  readonly #keysByHash = new Map<string, KeyRecord>();

  constructor(public policies: Policies) {}

  /** Returns the current incident. It ends exactly at the millisecond of its `until`. */
  findIncident(now: Millis): IncidentRecord | null {
    return this.incident !== null && this.incident.until > now ? this.incident : null;
  }

  /** Finds the most specific allowlist entry of an address. */
  findAllowedAddress(address: Address, now: Millis): AllowRecord | undefined {
    return this.allowedRanges.size === 0 ? undefined : this.allowedRanges.find(address, isLive(now));
  }

  findAllowedUser(userId: UserId, now: Millis): AllowRecord | undefined {
    return dropExpired(this.allowedUsers.get(userId), now);
  }

  /** Finds the override of the most specific range of an address. */
  findAddressOverride(address: Address, endpointClass: EndpointClass, now: Millis): OverrideRecord | undefined {
    const index = this.overriddenRanges[endpointClass];
    return index.size === 0 ? undefined : index.find(address, isLive(now));
  }

  findUserOverride(userId: UserId, endpointClass: EndpointClass, now: Millis): OverrideRecord | undefined {
    return dropExpired(this.overriddenUsers.get(`${endpointClass}|${userId}`), now);
  }

  findSubjectOverride(limitName: string, subject: string, now: Millis): SubjectOverride | undefined {
    // Most installations have none, and then the key of the look-up need not be built.
    if (this.overriddenSubjects.size === 0) return undefined;
    return dropExpired(this.overriddenSubjects.get(`${limitName}|${subject}`), now);
  }

  /** Finds the key whose secret, or previous secret within its grace period, has this hash (SHA-256, base64url). */
  findKeyBySecretHash(hash: string, now: Millis): KeyRecord | undefined {
    const key = dropExpired(this.#keysByHash.get(hash), now);
    if (key === undefined || key.secretHash === hash) return key;
    return key.previousSecretUntil !== null && key.previousSecretUntil > now ? key : undefined;
  }

  /** Finds a key by its id, unless it has expired. */
  findKeyById(id: string, now: Millis): KeyRecord | undefined {
    return dropExpired(this.keysById.get(id), now);
  }

  /** Lists the active grants of a key. */
  listGrants(apiKeyId: string, now: Millis): readonly GrantRecord[] {
    const grants = this.#grants.get(apiKeyId);
    return grants === undefined ? NO_GRANTS : [...grants.values()].filter(({ until }) => until > now);
  }

  /** Adds up the requests that active grants add to the monthly limit of a key. */
  sumGrants(apiKeyId: string, now: Millis): number {
    const grants = this.#grants.get(apiKeyId);
    if (grants === undefined) return 0;
    let sum = 0;
    for (const { requests, until } of grants.values()) if (until > now) sum += requests;
    return sum;
  }

  /** Returns the monthly limit of a key: that of its tier, plus its grants. */
  computeQuota({ id, tier }: Pick<KeyRecord, 'id' | 'tier'>, now: Millis): number {
    return this.policies.tiers[tier] + this.sumGrants(id, now);
  }

  setGrant(grant: GrantRecord): void {
    this.#grants.set(grant.apiKeyId, new Map(this.#grants.get(grant.apiKeyId)).set(grant.id, grant));
  }

  removeGrant({ id, apiKeyId }: Pick<GrantRecord, 'id' | 'apiKeyId'>): void {
    const others = [...(this.#grants.get(apiKeyId) ?? [])].filter(([other]) => other !== id);
    if (others.length === 0) this.#grants.delete(apiKeyId);
    else this.#grants.set(apiKeyId, new Map(others));
  }

  setKey(key: KeyRecord): void {
    this.removeKey(key.id);
    this.keysById.set(key.id, key);
    this.#keysByHash.set(key.secretHash, key);
    if (key.previousSecretHash !== null) this.#keysByHash.set(key.previousSecretHash, key);
  }

  removeKey(id: string): void {
    const old = this.keysById.get(id);
    if (old === undefined) return;
    this.keysById.delete(id);
    this.#keysByHash.delete(old.secretHash);
    if (old.previousSecretHash !== null) this.#keysByHash.delete(old.previousSecretHash);
  }
}
