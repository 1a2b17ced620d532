import { z } from 'zod';
import { createUsageFailure } from '@/cli/failure';
import { VERDICTS } from '@/lib/contract/assessment-events';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { parseJson } from '@/lib/json';

/** Fields of an earlier report that a comparison reads. */
const EarlierReport = z.object({
  id: z.uuid(),
  name: z.string(),
  target: z.string(),
  started_at: TimestampSchema,
  findings: z.array(z.object({ control: z.string(), verdict: z.enum(VERDICTS) })),
});

/** Parses a report that was written as JSON. @throws Failure if the text is not a report */
export function parseBaseline(text: string, file: string): z.output<typeof EarlierReport> {
  const value = parseJson(text);
  if (value === undefined)
    throw createUsageFailure(`The baseline ${file} is not JSON.`, 'Give a report that was written with --format json.');
  const parsed = EarlierReport.safeParse(value);
  if (!parsed.success)
    throw createUsageFailure(
      `The baseline ${file} is no report of an assessment.`,
      'Give a report that was written with --format json.',
    );
  return parsed.data;
}
