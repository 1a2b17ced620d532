import { and, asc, eq, gt, gte, inArray, lt, max, or, type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { decisions } from '@/drizzle/schema';
import { findLoggedAddresses, type LoggedAddresses } from '@/lib/admin/decisions/logged-addresses';
import { matchKeyName, readKeyNames } from '@/lib/admin/keys/names';
import { findRangeSubject } from '@/lib/admin/limits/counter-selection';
import { matchText } from '@/lib/admin/stored-list';
import type { DecisionFilters, LoggedDecision } from '@/lib/contract/decisions';
import { parseIdentifier } from '@/lib/contract/fields/identifier';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import { createInvalidField } from '@/lib/http/input';
import { type AddressRange, parseRange } from '@/lib/limiter/address';

/** Filters, with the logged addresses that lie in their ranges. */
export type ResolvedFilters = DecisionFilters & { addresses?: LoggedAddresses };

/** Builds the condition for the filters. @throws ApiError invalid_request if `identifier` or `ip` is malformed */
export function buildDecisionCondition(filters: ResolvedFilters): SQL | undefined {
  const { class: endpointClass, method, path, user_id: userId, request_id: requestId, q, from, to } = filters;
  return and(
    equals(decisions.class, endpointClass),
    equals(decisions.outcome, filters.outcome),
    equals(decisions.reason, filters.reason),
    // The plus disables an index that would sort all rows of the subject instead of reading the newest.
    filters.subject === undefined ? undefined : sql`+${decisions.subjectType} = ${filters.subject}`,
    equals(decisions.source, filters.source),
    equals(decisions.limitName, filters.limit_name),
    buildIdentifierCondition(filters),
    equals(decisions.method, method),
    path === undefined ? undefined : sql`substr(${decisions.path}, 1, ${path.length}) = ${path}`,
    filters.ip === undefined ? undefined : matchSender(requireRange(filters.ip), filters.addresses),
    equals(decisions.userId, userId),
    equals(decisions.apiKeyId, filters.api_key_id),
    equals(decisions.apiKeyId, filters.api_key),
    equals(decisions.requestId, requestId),
    q === undefined ? undefined : buildSearchCondition(q),
    from === undefined ? undefined : gte(decisions.at, from),
    to === undefined ? undefined : lt(decisions.at, to),
  );
}

function equals(column: AnySQLiteColumn, value: string | undefined): SQL | undefined {
  return value === undefined ? undefined : eq(column, value);
}

function requireRange(text: string): AddressRange {
  const range = parseRange(text);
  if (range === null) throw createInvalidField('ip', 'must be an IP address or a range');
  return range;
}

/** Adds the logged addresses that lie in the ranges of the filters. @throws as `buildDecisionCondition` */
export async function resolveFilters<Filters extends DecisionFilters>(database: Database, filters: Filters) {
  const { type, identifier, ip } = filters;
  const ranges = [ip === undefined ? null : requireRange(ip), type === 'ip' ? parseRange(identifier ?? '') : null];
  return { ...filters, addresses: await findLoggedAddresses(database, ranges) };
}

/** Matches requests from an address, or from the logged addresses in a range. */
function matchSender({ text }: AddressRange, addresses: LoggedAddresses | undefined): SQL {
  const within = addresses?.get(text);
  if (within === undefined) return eq(decisions.ip, text);
  return sql`${decisions.ip} in (select value from json_each(${JSON.stringify(within)}))`;
}

function buildSearchCondition(text: string): SQL | undefined {
  const { identifier, path, ip, userId, requestId, apiKeyId } = decisions;
  return or(matchText(text, identifier, path, ip, userId, requestId), matchKeyName(apiKeyId, text));
}

function buildIdentifierCondition({ type, identifier, addresses }: ResolvedFilters): SQL | undefined {
  if (identifier === undefined) {
    if (type === undefined) return undefined;
    throw createInvalidField('identifier', 'is needed with type');
  }
  const ofSubject = eq(decisions.identifier, identifier);
  if (type === undefined) return ofSubject;
  const canonical = parseIdentifier(type, identifier);
  if (canonical === null) throw createInvalidField('identifier', 'is not of this type');
  if (type === 'subject') return and(eq(decisions.subjectType, 'limit'), ofSubject);
  if (type === 'client_id') return and(eq(decisions.subjectType, 'client'), ofSubject);
  if (type === 'api_key') return eq(decisions.apiKeyId, canonical);
  const ofUser = and(eq(decisions.subjectType, 'user'), eq(decisions.identifier, canonical));
  if (type === 'user_id') return or(eq(decisions.userId, canonical), ofUser);
  const range = requireRange(canonical);
  const subject = findRangeSubject(range);
  if (subject === null) return matchSender(range, addresses);
  // The subject of an IPv6 address is its /64.
  const ofSubjects = and(eq(decisions.subjectType, 'ip'), inArray(decisions.identifier, [canonical, subject]));
  return or(matchSender(range, addresses), ofSubjects);
}

export async function readDecisionsAfter(
  database: Database,
  condition: SQL | undefined,
  after: number,
  limit: number,
): Promise<LoggedDecision[]> {
  const later = and(condition, gt(decisions.id, after));
  const rows = await database.drizzle.select().from(decisions).where(later).orderBy(asc(decisions.id)).limit(limit);
  return buildLoggedDecisions(database, rows);
}

/** Reads the id of the newest decision. 0 if the log is empty. */
export async function readNewestDecisionId({ drizzle }: Database): Promise<number> {
  const [row] = await drizzle.select({ newest: max(decisions.id) }).from(decisions);
  return row?.newest ?? 0;
}

type DecisionRow = typeof decisions.$inferSelect;

/** Converts decisions to their public form, with the names of their keys. */
export async function buildLoggedDecisions(
  database: Database,
  rows: readonly DecisionRow[],
): Promise<LoggedDecision[]> {
  const ids = rows.map(({ apiKeyId }) => apiKeyId);
  const names = await readKeyNames(database, ids);
  return rows.map((row) => buildLoggedDecision(row, names));
}

function buildLoggedDecision(row: DecisionRow, names: ReadonlyMap<string, string>): LoggedDecision {
  return {
    id: row.id,
    at: formatTimestamp(row.at),
    outcome: row.outcome,
    class: row.class === '' ? null : row.class,
    reason: row.reason,
    subject: row.subjectType,
    identifier: row.identifier,
    method: row.method,
    path: row.path,
    ip: row.ip,
    user_id: row.userId,
    api_key_id: row.apiKeyId,
    api_key_name: names.get(row.apiKeyId ?? '') ?? null,
    request_id: row.requestId,
    limit: row.limit,
    window_seconds: row.windowSeconds,
    used: row.used,
    cost: row.cost,
    retry_after: row.retryAfter,
    reset: row.reset,
    source: row.source,
    source_id: row.sourceId,
    count: row.count,
    limit_name: row.limitName,
  };
}
