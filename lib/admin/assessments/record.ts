import { and, eq, sql } from 'drizzle-orm';
import { assessmentFindings, assessments } from '@/drizzle/assessment-schema';
import { packFindings } from '@/lib/admin/assessments/packed-findings';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import type { StoredAssessment } from '@/lib/contract/assessments';
import type { Database, Statement } from '@/lib/db/database';
import type { PreflightCheck } from '@/lib/oauth/assessment/preflight';
import type { Summary } from '@/lib/oauth/report/summary';
import type { Millis } from '@/lib/units';

/** How often an assessment that runs says so; well within its lease. */
export const BEAT: Millis = 3_000;

/** What an assessment has come to. */
export interface Progress {
  preflight: readonly PreflightCheck[];
  findings: KeptFindings;
  summary: Summary;
  durationMs: Millis;
}

const columnsOf = ({ preflight, durationMs, summary }: Progress, now: Millis) => {
  const { passed, failed, not_applicable: notApplicable, inconclusive, grade } = summary;
  const counts = { passed, failed, notApplicable, inconclusive, grade };
  return { ...counts, preflight: JSON.stringify(preflight), durationMs: Math.round(durationMs), aliveAt: now };
};

/** Writes nothing where the assessment was removed meanwhile. */
const putFindings = ({ drizzle }: Database, id: string, packed: Buffer): Statement =>
  drizzle
    .insert(assessmentFindings)
    .select(
      drizzle
        .select({ assessment: assessments.id, findings: sql<Buffer>`${packed}`.as('findings') })
        .from(assessments)
        .where(eq(assessments.id, id)),
    )
    .onConflictDoUpdate({ target: assessmentFindings.assessment, set: { findings: packed } });

/**
 * Says that an assessment runs, and what it has found so far, without the evidence: that is redacted once more at the end.
 * @returns whether it is still there
 */
export async function beat(database: Database, id: string, progress: Progress, now: Millis): Promise<boolean> {
  const verdicts = progress.findings.map((finding) => ({ ...finding, exchanges: [] }));
  if (verdicts.length > 0) await database.batch([putFindings(database, id, await packFindings(verdicts))]);
  const isIt = and(eq(assessments.id, id), eq(assessments.state, 'running'));
  const { grade: _, ...columns } = columnsOf(progress, now);
  return (await database.drizzle.update(assessments).set(columns).where(isIt).returning()).length > 0;
}

/** Writes the end of an assessment, findings and all, in one transaction. */
export async function writeEnd(
  database: Database,
  id: string,
  { state, ...progress }: Progress & { state: Exclude<StoredAssessment['state'], 'running'> },
  now: Millis,
): Promise<void> {
  const packed = await packFindings(progress.findings);
  await database.batch([
    database.drizzle
      .update(assessments)
      .set({ ...columnsOf(progress, now), state })
      .where(eq(assessments.id, id)),
    putFindings(database, id, packed),
  ]);
}
