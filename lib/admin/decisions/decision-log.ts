import { and, asc, eq, gt, gte, inArray, lt, max, or, type SQL, sql } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import type { DecisionFilters, LoggedDecision } from '@/lib/contract/decisions';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Database } from '@/lib/db/database';
import { invalidField } from '@/lib/http/input';
import { parseAddress, subjectOf } from '@/lib/limiter/address';

/** @throws ApiError invalid_request when `identifier` is not of this `type`, or one of the two is missing */
export function decisionCondition(filters: DecisionFilters): SQL | undefined {
  const { class: endpointClass, outcome, reason, subject, api_key: apiKey, path, from, to } = filters;
  return and(
    endpointClass === undefined ? undefined : eq(decisions.class, endpointClass),
    outcome === undefined ? undefined : eq(decisions.outcome, outcome),
    reason === undefined ? undefined : eq(decisions.reason, reason),
    subject === undefined ? undefined : eq(decisions.subjectType, subject),
    identifierCondition(filters),
    apiKey === undefined ? undefined : eq(decisions.apiKeyId, apiKey),
    path === undefined ? undefined : sql`substr(${decisions.path}, 1, ${path.length}) = ${path}`,
    from === undefined ? undefined : gte(decisions.at, from),
    to === undefined ? undefined : lt(decisions.at, to),
  );
}

function identifierCondition({ type, identifier }: DecisionFilters): SQL | undefined {
  if (type === undefined && identifier === undefined) return undefined;
  if (type === undefined) throw invalidField('type', 'is needed with identifier');
  if (identifier === undefined) throw invalidField('identifier', 'is needed with type');
  const canonical = canonicalIdentifier(type, identifier);
  if (canonical === null) throw invalidField('identifier', 'is not of this type');
  const ofUser = and(eq(decisions.subjectType, 'user'), eq(decisions.identifier, canonical));
  if (type === 'user_id') return or(eq(decisions.userId, canonical), ofUser);
  // An IPv6 address is counted, and logged as the subject, by its /64.
  const address = parseAddress(canonical);
  const subjects = address === null ? [canonical] : [canonical, subjectOf(address)];
  return or(eq(decisions.ip, canonical), and(eq(decisions.subjectType, 'ip'), inArray(decisions.identifier, subjects)));
}

export async function decisionsAfter(
  { drizzle }: Database,
  condition: SQL | undefined,
  after: number,
  limit: number,
): Promise<LoggedDecision[]> {
  const later = and(condition, gt(decisions.id, after));
  const rows = await drizzle.select().from(decisions).where(later).orderBy(asc(decisions.id)).limit(limit);
  return rows.map(toLoggedDecision);
}

/** 0 when the log is empty. */
export async function newestDecisionId({ drizzle }: Database): Promise<number> {
  const [row] = await drizzle.select({ newest: max(decisions.id) }).from(decisions);
  return row?.newest ?? 0;
}

export function toLoggedDecision(row: typeof decisions.$inferSelect): LoggedDecision {
  return {
    id: row.id,
    at: toInstant(row.at),
    outcome: row.outcome,
    class: row.class,
    reason: row.reason,
    subject: row.subjectType,
    identifier: row.identifier,
    method: row.method,
    path: row.path,
    ip: row.ip,
    user_id: row.userId,
    api_key_id: row.apiKeyId,
    request_id: row.requestId,
  };
}
