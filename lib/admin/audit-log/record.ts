import { type AuditRow, parseRecordedValue } from '@/lib/admin/change-kind/record';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';

/** Fields of a record that are not stored in its row. */
type RecordDetails = Pick<AuditRecord, 'target_name' | 'target_name_now' | 'undo'>;

export function buildAuditRecord(row: AuditRow, details: RecordDetails): AuditRecord {
  return {
    seq: row.seq,
    at: formatTimestamp(row.at),
    actor: row.actor,
    actor_name: row.actorName,
    action: row.action,
    target_type: row.targetType,
    target: row.target,
    ...details,
    before: parseRecordedValue(row.before),
    after: parseRecordedValue(row.after),
    reason: row.reason,
    request_id: row.requestId,
    address: row.address,
    previous_hash: row.previousHash,
    hash: row.hash,
    undoes: row.undoes,
  };
}
