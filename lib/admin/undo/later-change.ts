import { and, desc, eq, gt, lt } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { parseUndoneRecord } from '@/lib/admin/change-kind/record';
import { isSameThing } from '@/lib/admin/undo/same-thing';
import type { Database } from '@/lib/db/database';
import { readUpTo } from '@/lib/db/readable-rows';

type AuditRow = typeof audit.$inferSelect;

const CHUNK = 100;

/**
 * Finds the newest change of the same thing after a record. Skips changes that were undone, and their undos. The undo
 * of the record itself counts: its `undoes` names the record.
 */
export async function findLaterChange({ drizzle }: Database, row: AuditRow): Promise<AuditRow | null> {
  const record = parseUndoneRecord(row);
  const takenBack = new Set<number>();
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const sameTarget = and(eq(audit.targetType, row.targetType), eq(audit.target, row.target));
    const within = and(sameTarget, gt(audit.seq, row.seq), lt(audit.seq, below));
    const later = await readUpTo(CHUNK, (most) =>
      drizzle.select().from(audit).where(within).orderBy(desc(audit.seq)).limit(most),
    );
    for (const other of later) {
      below = other.seq;
      if (takenBack.has(other.seq) || !isSameThing(record, parseUndoneRecord(other))) continue;
      if (other.undoes === null || other.undoes <= row.seq) return other;
      takenBack.add(other.undoes);
    }
    if (later.length < CHUNK) return null;
  }
}
