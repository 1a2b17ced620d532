import { acceptedFindings } from '@/drizzle/assessment-schema';
import { findAcceptance, matchAcceptance } from '@/lib/admin/assessments/acceptances';
import { findAssessment } from '@/lib/admin/assessments/row';
import { change } from '@/lib/admin/change';
import { withdrawAcceptance as contract } from '@/lib/contract/assessments';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Withdraws the acceptance of a control at the target of an assessment. */
export const withdrawAcceptance = implement(contract, async (context, { params: { id, control } }) => {
  const { database } = context.services;
  const { target } = await findAssessment(database, id);
  return change(context, async () => {
    const before = await findAcceptance(database, target, control, context.now);
    if (before === undefined) throw new ApiError('not_found', 'The control is not accepted at this target.');
    return {
      audit: { action: 'finding.withdraw', target: `${control} at ${target}`, before },
      statements: [database.drizzle.delete(acceptedFindings).where(matchAcceptance(target, control))],
    };
  });
});
