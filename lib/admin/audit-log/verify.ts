import { recordsAfter } from '@/lib/admin/audit-log/record';
import { verifyAudit } from '@/lib/admin/audit-log/verify-chain';
import { type AuditVerification, verifyAuditLog as contract } from '@/lib/contract/audit-log';
import { invalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';

/** Verifications that run: the same question asked twice is answered once. */
const running = new WeakMap<object, Map<string, Promise<AuditVerification>>>();

/** Whether the audit log is whole. */
export const verifyAuditLog = implement(contract, (context, { query }) => {
  if (query.seq !== undefined && query.head === undefined) throw invalidField('head', 'is needed with seq');
  const { database } = context.services;
  const questions = running.get(database) ?? new Map<string, Promise<AuditVerification>>();
  running.set(database, questions);
  const question = `${query.seq ?? ''}|${query.head ?? ''}`;
  const known = questions.get(question);
  if (known !== undefined) return known;
  const expected = query.head === undefined ? undefined : { hash: query.head, seq: query.seq };
  const answer = verifyAudit((after, limit) => recordsAfter(database, after, limit), expected).finally(() =>
    questions.delete(question),
  );
  questions.set(question, answer);
  return answer;
});
