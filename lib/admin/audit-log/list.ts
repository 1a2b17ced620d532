import { z } from 'zod';
import { type AuditRow, auditCondition, newestRecords, toAuditRecord } from '@/lib/admin/audit-log/record';
import { chunksOf } from '@/lib/admin/chunks-of';
import { type AuditRecord, listAudit as contract } from '@/lib/contract/audit-log';
import { type Column, exportResponse, listFormat } from '@/lib/http/export-response';
import { decodeCursor, pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';

const Position = z.int().min(1);
const DEFAULT_LIMIT = 100;

const COLUMNS: readonly Column<AuditRecord>[] = [
  ['seq', (one) => one.seq],
  ['at', (one) => one.at],
  ['actor', (one) => one.actor],
  ['actor_name', (one) => one.actor_name],
  ['action', (one) => one.action],
  ['target_type', (one) => one.target_type],
  ['target', (one) => one.target],
  ['before', (one) => (one.before === null ? null : JSON.stringify(one.before))],
  ['after', (one) => (one.after === null ? null : JSON.stringify(one.after))],
  ['reason', (one) => one.reason],
  ['request_id', (one) => one.request_id],
  ['address', (one) => one.address],
  ['previous_hash', (one) => one.previous_hash],
  ['hash', (one) => one.hash],
];

/** Who changed what, newest first: as a list, or as a download. */
export const listAudit = implement(contract, async (context, { query }) => {
  const { database } = context.services;
  const condition = auditCondition(query);
  const format = listFormat(context.request, query.format);
  if (format === 'csv' || format === 'jsonl') {
    const pages = chunksOf(
      (last: AuditRow | undefined, size) => newestRecords(database, condition, last?.seq, size),
      (rows) => rows.map(toAuditRecord),
    );
    return exportResponse(context, format, 'audit', COLUMNS, pages);
  }
  const limit = query.limit ?? DEFAULT_LIMIT;
  const before = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
  const rows = await newestRecords(database, condition, before, limit + 1);
  const { items, headers } = pageOf(rows, limit, context.request.url, (last) => last.seq);
  return new Reply(items.map(toAuditRecord), { headers });
});
