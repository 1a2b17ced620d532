import { and, eq } from 'drizzle-orm';
import { acceptedFindings } from '@/drizzle/assessment-schema';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

type AcceptanceRow = typeof acceptedFindings.$inferSelect;
export type Acceptance = NonNullable<AssessmentReport['findings'][number]['accepted']>;

export function buildAcceptance({ reason, until, acceptedBy, acceptedAt }: AcceptanceRow): Acceptance {
  return { reason, until: formatTimestampOrNull(until), by: acceptedBy, at: formatTimestamp(acceptedAt) };
}

const isInForce = ({ until }: AcceptanceRow, now: Millis): boolean => until === null || until > now;

/** Reads the valid acceptances of a target, by control. */
export async function readAcceptances({ drizzle }: Database, target: string, now: Millis) {
  const rows = await drizzle.select().from(acceptedFindings).where(eq(acceptedFindings.target, target));
  return new Map(rows.filter((row) => isInForce(row, now)).map((row) => [row.control, buildAcceptance(row)]));
}

export const matchAcceptance = (target: string, control: string) =>
  and(eq(acceptedFindings.target, target), eq(acceptedFindings.control, control));

/** Finds the valid acceptance of a control at a target. */
export async function findAcceptance({ drizzle }: Database, target: string, control: string, now: Millis) {
  const [row] = await drizzle.select().from(acceptedFindings).where(matchAcceptance(target, control));
  return row !== undefined && isInForce(row, now) ? buildAcceptance(row) : undefined;
}
