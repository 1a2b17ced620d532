import { asc, gt } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Database } from '@/lib/db/database';

export type AuditRow = typeof audit.$inferSelect;

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
