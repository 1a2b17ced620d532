import { inArray } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import type { AuditRow } from '@/lib/admin/change-kind/record';
import { CHANGE_KINDS } from '@/lib/admin/changes';
import { findLaterChange } from '@/lib/admin/undo/later-change';
import { findUndoneAction } from '@/lib/contract/audit-actions';
import type { Database } from '@/lib/db/database';

const SECOND: ReadonlySet<string | null> = new Set(Object.values(CHANGE_KINDS).flatMap(({ second }) => second ?? []));

/** Lists the records to undo together with a record, in order. It includes that record. A promotion has two. */
export async function listRecordsToUndo(database: Database, row: AuditRow): Promise<AuditRow[]> {
  const base = findUndoneAction(row.action);
  const isFirst = base !== null && CHANGE_KINDS[base].second !== undefined;
  if (!isFirst && !SECOND.has(base)) return [row];
  const near = [row.seq - 1, row.seq + 1];
  const others = await database.drizzle.select().from(audit).where(inArray(audit.seq, near)).orderBy(audit.seq);
  const [first, second] = isFirst ? [row, others.find(({ seq }) => seq > row.seq)] : [others[0], row];
  if (first === undefined || second === undefined || !isChangePair(first, second)) return [row];
  // Earlier versions undid one half without the other.
  const other = first === row ? second : first;
  const later = await findLaterChange(database, other);
  return later?.undoes === other.seq && (await findLaterChange(database, row))?.undoes !== row.seq
    ? [row]
    : [first, second];
}

function isChangePair(first: AuditRow, second: AuditRow): boolean {
  const [base, next] = [findUndoneAction(first.action), findUndoneAction(second.action)];
  const isUndo = (row: AuditRow) => row.undoes !== null;
  return (
    base !== null &&
    next !== null &&
    CHANGE_KINDS[base].second?.includes(next) === true &&
    first.seq + 1 === second.seq &&
    first.requestId === second.requestId &&
    isUndo(first) === isUndo(second)
  );
}
