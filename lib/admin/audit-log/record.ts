import { and, asc, desc, eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import type { AuditFilters, AuditRecord } from '@/lib/contract/audit-log';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Database } from '@/lib/db/database';

export type AuditRow = typeof audit.$inferSelect;

/** The filter as a condition. */
export function auditCondition({ actor, action, target_type: type, target, from, to }: AuditFilters): SQL | undefined {
  return and(
    actor === undefined ? undefined : or(eq(audit.actor, actor), eq(audit.actorName, actor)),
    action === undefined
      ? undefined
      : or(eq(audit.action, action), sql`substr(${audit.action}, 1, ${action.length + 1}) = ${`${action}.`}`),
    type === undefined ? undefined : eq(audit.targetType, type),
    target === undefined ? undefined : eq(audit.target, target),
    from === undefined ? undefined : gte(audit.at, from),
    to === undefined ? undefined : lt(audit.at, to),
  );
}

/** The newest records that match, newest first. @param before the number that the page before ended with */
export function newestRecords(
  database: Database,
  condition: SQL | undefined,
  before: number | undefined,
  limit: number,
): Promise<AuditRow[]> {
  return database.drizzle
    .select()
    .from(audit)
    .where(and(condition, before === undefined ? undefined : lt(audit.seq, before)))
    .orderBy(desc(audit.seq))
    .limit(limit);
}

/** The records after a number, oldest first. */
export function recordsAfter(database: Database, after: number, limit: number): Promise<AuditRow[]> {
  return database.drizzle.select().from(audit).where(gt(audit.seq, after)).orderBy(asc(audit.seq)).limit(limit);
}

export function toAuditRecord(row: AuditRow): AuditRecord {
  return {
    seq: row.seq,
    at: toInstant(row.at),
    actor: row.actor,
    actor_name: row.actorName,
    action: row.action,
    target_type: row.targetType,
    target: row.target,
    before: value(row.before),
    after: value(row.after),
    reason: row.reason,
    request_id: row.requestId,
    address: row.address,
    previous_hash: row.previousHash,
    hash: row.hash,
  };
}

/** A record that somebody has tampered with is shown as it is. */
function value(json: string | null): unknown {
  if (json === null) return null;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
