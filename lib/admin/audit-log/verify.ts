import { asc, gt } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { computeAuditHash, GENESIS_HASH } from '@/lib/admin/change';
import type { AuditRow } from '@/lib/admin/change-kind/record';
import { type AuditVerification, verifyAuditLog as contract } from '@/lib/contract/audit-log';
import type { Database } from '@/lib/db/database';
import { countOmittedRows } from '@/lib/db/readable-rows';
import { createInvalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';
import { takeTurn } from '@/lib/take-turn';

/** Running verifications. Identical concurrent requests share one. */
const running = new WeakMap<object, Map<string, Promise<AuditVerification>>>();

/** Verifies that the audit log is complete and unaltered. */
export const verifyAuditLog = implement(contract, (context, { query }) => {
  if (query.seq !== undefined && query.head === undefined) throw createInvalidField('head', 'is needed with seq');
  const { database } = context.services;
  const questions = running.get(database) ?? new Map<string, Promise<AuditVerification>>();
  running.set(database, questions);
  const question = `${query.seq ?? ''}|${query.head ?? ''}`;
  const pending = questions.get(question);
  if (pending !== undefined) return pending;
  const expected = query.head === undefined ? undefined : { hash: query.head, seq: query.seq };
  const answer = verifyAudit(createAuditReader(database), expected).finally(() => questions.delete(question));
  questions.set(question, answer);
  return answer;
});

/** Creates the function by which `verifyAudit` reads a database. */
export const createAuditReader =
  ({ drizzle }: Pick<Database, 'drizzle'>) =>
  async (after: number, limit: number): Promise<readonly AuditRow[]> =>
    drizzle.select().from(audit).where(gt(audit.seq, after)).orderBy(asc(audit.seq)).limit(limit);

const CHUNK = 500;

/** The head of an earlier export. If `seq` is missing, any record may have the hash. */
interface ExpectedHead {
  hash: string;
  seq?: number | undefined;
}

/**
 * Walks the whole hash chain, with 500 records in each turn of the event loop. The chain reveals edits, deletions and
 * reordering. Detecting truncation or a complete rewrite needs the head of an earlier export.
 * @param read returns the records after a number, oldest first
 */
export async function verifyAudit(
  read: (after: number, limit: number) => Promise<readonly AuditRow[]>,
  expected?: ExpectedHead,
): Promise<AuditVerification> {
  const head = { seq: 0, hash: GENESIS_HASH };
  let records = 0;
  let met = isExpected(head, expected);
  type Problem = NonNullable<AuditVerification['first_invalid']>['problem'];
  const reportInvalid = (seq: number, problem: Problem) => ({
    valid: false,
    records,
    head,
    first_invalid: { seq, problem },
  });
  for (;;) {
    const rows = await read(head.seq, CHUNK);
    const leftOut = countOmittedRows(rows);
    for (const row of rows) {
      if (row.seq !== head.seq + 1) return reportInvalid(head.seq + 1, leftOut > 0 ? 'altered' : 'missing');
      if (row.previousHash !== head.hash) return reportInvalid(row.seq, 'unlinked');
      if (computeAuditHash(head.hash, row) !== row.hash) return reportInvalid(row.seq, 'altered');
      records += 1;
      head.seq = row.seq;
      head.hash = row.hash;
      if (isExpected(head, expected)) met = true;
    }
    // A record that cannot be read was altered.
    if (leftOut > 0) return reportInvalid(head.seq + 1, 'altered');
    if (rows.length < CHUNK) break;
    await takeTurn();
  }
  if (met) return { valid: true, records, head };
  const seq = expected?.seq ?? head.seq;
  return seq > head.seq ? reportInvalid(head.seq + 1, 'truncated') : reportInvalid(seq, 'rewritten');
}

function isExpected(head: { seq: number; hash: string }, expected: ExpectedHead | undefined): boolean {
  if (expected === undefined) return true;
  return head.hash === expected.hash && (expected.seq === undefined || expected.seq === head.seq);
}
