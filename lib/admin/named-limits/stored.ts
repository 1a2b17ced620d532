import { and, gt, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import { apiKeys, overrides } from '@/drizzle/schema';
import type { AuditEntry } from '@/lib/admin/change';
import { buildManagedMark } from '@/lib/admin/new-row';
import { readStoredRouteRules } from '@/lib/admin/route-rules/stored';
import { readManagedHeader, readSetting, replaceSetting } from '@/lib/admin/setting';
import { MANAGED_HEADER } from '@/lib/contract/fields/managed';
import { type StoredNamedLimit, StoredNamedLimitsSchema } from '@/lib/contract/fields/named-limit';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { NamedLimit } from '@/lib/contract/named-limits';
import type { Database } from '@/lib/db/database';
import { LIMITS_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** Most named limits of an installation. */
const MOST_LIMITS = 1_000;

/** Reads the named limits, sorted by name. */
export async function readStoredLimits(database: Database): Promise<StoredNamedLimit[]> {
  return StoredNamedLimitsSchema.parse((await readSetting(database, LIMITS_SETTING)) ?? []);
}

/** Finds a named limit. @throws ApiError not_found */
export function requireLimit(limits: readonly StoredNamedLimit[], name: string): StoredNamedLimit {
  const found = limits.find((limit) => limit.name === name);
  if (found === undefined) throw new ApiError('not_found', 'There is no limit of this name.');
  return found;
}

type Uses = NamedLimit['used_by'];

/** Creates a function that counts the route rules, API keys and active overrides that name a limit. */
export async function countUses(database: Database, now: Millis): Promise<(name: string) => Uses> {
  const rules = await readStoredRouteRules(database);
  const keys = await database.drizzle
    .select({ limits: apiKeys.limits })
    .from(apiKeys)
    .where(and(isNotNull(apiKeys.limits), isNull(apiKeys.revokedAt)));
  const named = keys.map((key) => new Set(Object.keys(JSON.parse(key.limits ?? '{}'))));
  const { limitName, removedAt, expiresAt } = overrides;
  const overridden = await database.drizzle
    .select({ name: limitName, count: sql<number>`count(*)` })
    .from(overrides)
    .where(and(ne(limitName, ''), isNull(removedAt), or(isNull(expiresAt), gt(expiresAt, now))))
    .groupBy(limitName);
  const ofLimit = new Map(overridden.map(({ name, count }) => [name, count]));
  return (name) => ({
    route_rules: rules.filter((rule) => rule.limits?.some((limit) => limit.name === name)).length,
    api_keys: named.filter((names) => names.has(name)).length,
    overrides: ofLimit.get(name) ?? 0,
  });
}

/**
 * Creates a function that adds to a limit the number of rules, keys and overrides that name it, and the mark of a state
 * document.
 */
export async function readLimitUses({ services: { database }, now }: Context) {
  const usesOf = await countUses(database, now);
  const managed = MANAGED_HEADER in (await readManagedHeader(database, LIMITS_SETTING));
  return (limit: StoredNamedLimit): NamedLimit => ({
    ...limit,
    used_by: usesOf(limit.name),
    ...buildManagedMark({ managed }),
  });
}

/** Creates the fields of a new limit that no request states. The id is short and unique, because it names the counters. */
export function createLimitOrigin({ now, actor }: Context, revision: number) {
  return { id: `l${revision.toString(36)}`, created_at: formatTimestamp(now), created_by: actor.name };
}

/**
 * Plans the change of one limit: its audit record, and all limits with the statements that store them.
 * @param before null if the limit is new
 * @param after null if the limit is removed
 * @throws ApiError conflict for too many limits
 */
export function planLimit(
  context: Context,
  stored: readonly StoredNamedLimit[],
  { before, after }: Record<'before' | 'after', StoredNamedLimit | null>,
  revision: number,
) {
  const others = stored.filter(({ name }) => name !== before?.name);
  if (after !== null && others.length >= MOST_LIMITS)
    throw new ApiError('conflict', `There are ${MOST_LIMITS} named limits already.`);
  const all = after === null ? others : [...others, after].sort((a, b) => (a.name < b.name ? -1 : 1));
  const action = before === null ? 'limit.create' : after === null ? 'limit.remove' : 'limit.update';
  const audit: AuditEntry = { action, target: after?.name ?? before?.name ?? '', before, after };
  const versions = { before: stored, after: all };
  return { audit, statements: replaceSetting(context, LIMITS_SETTING, versions, revision), all };
}
