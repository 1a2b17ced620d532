import { eq } from 'drizzle-orm';
import { assessmentFindings, assessments, assessmentVisits } from '@/drizzle/assessment-schema';
import { buildStoredAssessment, findAssessment } from '@/lib/admin/assessments/row';
import { change } from '@/lib/admin/change';
import { removeAssessment as contract } from '@/lib/contract/assessments';
import { implement } from '@/lib/operation/operation';

/** Removes an assessment and its findings. A running one stops within seconds. */
export const removeAssessment = implement(contract, (context, { params: { id } }) => {
  const { database } = context.services;
  return change(context, async () => ({
    audit: {
      action: 'assessment.remove',
      target: id,
      before: buildStoredAssessment(await findAssessment(database, id), context.now),
    },
    statements: [
      database.drizzle.delete(assessments).where(eq(assessments.id, id)),
      database.drizzle.delete(assessmentFindings).where(eq(assessmentFindings.assessment, id)),
      database.drizzle.delete(assessmentVisits).where(eq(assessmentVisits.assessment, id)),
    ],
  }));
});
