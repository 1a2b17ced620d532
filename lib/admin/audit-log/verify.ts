import { recordsAfter } from '@/lib/admin/audit-log/record';
import { verifyAudit } from '@/lib/admin/audit-log/verify-chain';
import { type AuditVerification, AuditVerificationSchema, AuditVerifyQuery } from '@/lib/contract/audit-log';
import { invalidField } from '@/lib/http/invalid-field';
import { operation } from '@/lib/operation/operation';

/** Verifications that run: the same question asked twice is answered once. */
const running = new WeakMap<object, Map<string, Promise<AuditVerification>>>();

/** Whether the audit log is whole. */
export const verifyAuditLog = operation({
  id: 'verifyAuditLog',
  method: 'GET',
  path: '/v1/admin/audit/verify',
  tag: 'Audit',
  summary: 'Verify the hash chain of the audit log',
  description:
    'Walks all records. Edits, deletions and reordering show by themselves. To prove as well that nothing was cut off from the end or written anew, give the `head` and `seq` of an earlier answer or export.',
  access: 'viewer',
  query: AuditVerifyQuery,
  response: {
    status: 200,
    description: 'What was found; `valid` says it in one word.',
    schema: AuditVerificationSchema,
  },
  run: (context, { query }) => {
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
  },
});
