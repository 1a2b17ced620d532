import { and, desc, eq, lt, notInArray } from 'drizzle-orm';
import { assessmentFindings, assessments, assessmentVisits } from '@/drizzle/assessment-schema';
import { VISIT_TIME } from '@/lib/admin/assessments/visits';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** Number of assessments kept, by kind. */
export const KEPT = { lab: 200, server: 1_000 } as const;

/** Removes the oldest assessments beyond `KEPT`, and visits left open by processes that died. */
export async function removeOutdatedAssessments({ drizzle, batch }: Database, now: Millis): Promise<void> {
  const remaining = drizzle.select({ id: assessments.id }).from(assessments);
  await batch([
    ...(['lab', 'server'] as const).map((kind) => {
      const newest = drizzle
        .select({ id: assessments.id })
        .from(assessments)
        .where(eq(assessments.kind, kind))
        .orderBy(desc(assessments.startedAt), desc(assessments.id))
        .limit(KEPT[kind]);
      return drizzle.delete(assessments).where(and(eq(assessments.kind, kind), notInArray(assessments.id, newest)));
    }),
    drizzle.delete(assessmentFindings).where(notInArray(assessmentFindings.assessment, remaining)),
    drizzle.delete(assessmentVisits).where(lt(assessmentVisits.askedAt, now - VISIT_TIME)),
  ]);
}
