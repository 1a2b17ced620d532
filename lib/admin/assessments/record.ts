import { and, eq, sql } from 'drizzle-orm';
import { assessmentFindings, assessments } from '@/drizzle/assessment-schema';
import { packFindings } from '@/lib/admin/assessments/packed-findings';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import type { StoredAssessment } from '@/lib/contract/assessment-report';
import type { Database, Statement } from '@/lib/db/database';
import type { PreflightCheck } from '@/lib/oauth/assessment/preflight';
import type { Summary } from '@/lib/oauth/report/summary';
import type { Millis } from '@/lib/units';

/** Interval at which a running assessment renews its lease. */
export const BEAT: Millis = 3_000;

/** Progress and results of an assessment. */
export interface Progress {
  preflight: readonly PreflightCheck[];
  findings: KeptFindings;
  summary: Summary;
  durationMs: Millis;
}

const buildProgressColumns = ({ preflight, durationMs, summary }: Progress, now: Millis) => {
  const { passed, failed, not_applicable: notApplicable, inconclusive, grade } = summary;
  const counts = { passed, failed, notApplicable, inconclusive, grade };
  return { ...counts, preflight: JSON.stringify(preflight), durationMs: Math.round(durationMs), aliveAt: now };
};

/** Writes findings, unless the assessment was removed concurrently. */
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
 * Renews the lease of a running assessment, and stores its findings so far.
 * Leaves the evidence out, because it is redacted again at the end.
 * @returns whether the assessment still exists
 */
export async function renewLease(database: Database, id: string, progress: Progress, now: Millis): Promise<boolean> {
  const verdicts = progress.findings.map((finding) => ({ ...finding, exchanges: [] }));
  if (verdicts.length > 0) await database.batch([putFindings(database, id, await packFindings(verdicts))]);
  const isIt = and(eq(assessments.id, id), eq(assessments.state, 'running'));
  const { grade: _, ...columns } = buildProgressColumns(progress, now);
  return (
    (await database.drizzle.update(assessments).set(columns).where(isIt).returning({ id: assessments.id })).length > 0
  );
}

/** Writes the final state of an assessment with its findings, in one transaction. */
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
      .set({ ...buildProgressColumns(progress, now), state })
      .where(eq(assessments.id, id)),
    putFindings(database, id, packed),
  ]);
}
