import { and, eq, gte, lt, sql } from 'drizzle-orm';
import { assessments } from '@/drizzle/assessment-schema';
import { buildStoredAssessment } from '@/lib/admin/assessments/row';
import { buildSortings, createStoredList, matchText, matchValues } from '@/lib/admin/stored-list';
import { listAssessments as contract } from '@/lib/contract/assessments';
import { buildNaturalKey } from '@/lib/natural-order';
import { implement } from '@/lib/operation/operation';

/** Lists stored assessments without their findings. */
export const listAssessments = implement(
  contract,
  createStoredList({
    query: (drizzle) => drizzle.select().from(assessments),
    present: (rows, { services }) => rows.map((row) => buildStoredAssessment(row, services.clock())),
    sortings: {
      ...buildSortings(assessments, 'started_at', 'target'),
      name: { of: (assessment) => buildNaturalKey(assessment.name) },
    },
    id: { sql: sql`${assessments.id}`, of: (assessment) => assessment.id },
    order: '-started_at',
    where: ({ q, kind, target, grade, from, to }) =>
      and(
        kind && eq(assessments.kind, kind),
        target === undefined ? undefined : eq(assessments.target, target),
        matchValues(assessments.grade, grade),
        from === undefined ? undefined : gte(assessments.startedAt, from),
        to === undefined ? undefined : lt(assessments.startedAt, to),
        matchText(q, assessments.name, assessments.target),
      ),
  }),
);
