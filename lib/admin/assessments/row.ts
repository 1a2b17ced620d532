import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import { assessmentFindings, assessments } from '@/drizzle/assessment-schema';
import { unpackFindings } from '@/lib/admin/assessments/packed-findings';
import { type KeptFindings, PreflightSchema } from '@/lib/contract/assessment-events';
import type { StoredAssessment } from '@/lib/contract/assessment-report';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Millis } from '@/lib/units';

export type AssessmentRow = typeof assessments.$inferSelect;

/** Time after the last renewal during which an assessment still counts as running. */
const LEASE: Millis = 20_000;

/** Checks whether a process still runs an assessment. */
export const isRunning = ({ state, aliveAt }: AssessmentRow, now: Millis): boolean =>
  state === 'running' && now - aliveAt <= LEASE;

export function buildStoredAssessment(row: AssessmentRow, now: Millis): StoredAssessment {
  const { id, name, kind, target, build, passed, failed, notApplicable, inconclusive, grade } = row;
  return {
    ...{ id, name, kind, target, build },
    state: row.state === 'running' && !isRunning(row, now) ? 'stopped' : row.state,
    started_at: formatTimestamp(row.startedAt),
    started_by: row.startedBy,
    duration_ms: row.durationMs,
    summary: { passed, failed, not_applicable: notApplicable, inconclusive, grade },
  };
}

/** @throws ApiError not_found */
export async function findAssessment({ drizzle }: Database, id: string): Promise<AssessmentRow> {
  const [row] = await drizzle.select().from(assessments).where(eq(assessments.id, id));
  if (row === undefined) throw new ApiError('not_found', 'There is no such assessment.');
  return row;
}

/** Reads the findings stored so far. Empty before the first write. */
export async function readFindings({ drizzle }: Database, id: string): Promise<KeptFindings> {
  const [row] = await drizzle.select().from(assessmentFindings).where(eq(assessmentFindings.assessment, id));
  return row === undefined ? [] : unpackFindings(row.findings);
}

export function parsePreflight(json: string): z.output<typeof PreflightSchema> {
  return PreflightSchema.parse(JSON.parse(json));
}
