import { acceptedFindings } from '@/drizzle/assessment-schema';
import { buildAcceptance, findAcceptance } from '@/lib/admin/assessments/acceptances';
import { findAssessment, readFindings } from '@/lib/admin/assessments/row';
import { change } from '@/lib/admin/change';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { acceptFinding as contract } from '@/lib/contract/assessments';
import { ApiError } from '@/lib/http/api-error';
import { isControl } from '@/lib/oauth/report/describe-control';
import { implement } from '@/lib/operation/operation';

/** Accepts a failed control at the target of an assessment. Replaces an earlier acceptance. */
export const acceptFinding = implement(contract, async (context, { params: { id, control }, body }) => {
  const { database } = context.services;
  const until = requireValidExpiry(body.until, context.now, 'until');
  const { target } = await findAssessment(database, id);
  if (!isControl(control)) throw new ApiError('not_found', 'There is no such control.');
  const finding = (await readFindings(database, id)).find((found) => found.control === control);
  if (finding?.verdict !== 'failed')
    throw new ApiError('conflict', 'The control did not fail in this assessment: there is nothing to accept.');
  return change(context, async () => {
    const before = await findAcceptance(database, target, control, context.now);
    const { reason } = body;
    const row = { target, control, reason, until, acceptedAt: context.now, acceptedBy: context.actor.name };
    const result = buildAcceptance(row);
    const key = [acceptedFindings.target, acceptedFindings.control];
    return {
      audit: { action: 'finding.accept', target: `${control} at ${target}`, before, after: result, reason },
      statements: [database.drizzle.insert(acceptedFindings).values(row).onConflictDoUpdate({ target: key, set: row })],
      result,
    };
  });
});
