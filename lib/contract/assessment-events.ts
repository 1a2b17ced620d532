import { z } from 'zod';
import { count, object } from '@/lib/contract/resource';

export const VERDICTS = ['passed', 'failed', 'not_applicable', 'inconclusive'] as const;
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;

const Header = z.tuple([z.string(), z.string()]);

/** One request and its answer: the evidence of a verdict, without secrets. */
export const ExchangeSchema = object('Exchange', {
  label: z.string(),
  request: z.object({ method: z.string(), url: z.string(), headers: z.array(Header), body: z.string() }),
  response: z.object({ status: z.int(), headers: z.array(Header), body: z.string() }),
  startedAt: z.number(),
  durationMs: z.number().describe('Milliseconds.'),
  tokens: z
    .array(z.object({ name: z.string(), header: z.unknown(), claims: z.unknown() }))
    .optional()
    .describe('The JWTs in it; a placeholder of the same name replaces each in the texts.'),
});

/** Result of one control. */
export const finding = {
  control: z.string(),
  verdict: z.enum(VERDICTS),
  severity: z.enum(SEVERITIES).optional().describe('Of this failure, if it is less than that of the control.'),
  reason: z.string(),
  exchanges: z.array(ExchangeSchema),
};

/** Stored part of the results. */
export const KeptFindingsSchema = z.array(z.object(finding));
export type KeptFindings = z.output<typeof KeptFindingsSchema>;

export const SummarySchema = object('AssessmentSummary', {
  passed: count,
  failed: count,
  not_applicable: count,
  inconclusive: count.describe('Undecided: never counted as good.'),
  grade: z
    .enum(GRADES)
    .nullable()
    .describe(
      'A critical cause makes it F, a high one at best C; controls that fail for one cause count once. Null until it has finished, and where less than half was decided and nothing critical or high failed.',
    ),
});

const PreflightCheckSchema = object('PreflightCheck', {
  what: z.string(),
  ok: z.boolean().nullable().describe('Null if there is nothing to look at.'),
  text: z.string(),
});

export const PreflightSchema = z.array(PreflightCheckSchema);

/** A line in the event stream of a running assessment. */
export const AssessmentEventSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('started'),
      id: z.uuid(),
      total: count.describe('Controls.'),
      requests: count.optional().describe('About how many will be sent.'),
    }),
    z.object({ type: z.literal('preflight'), checks: PreflightSchema }),
    z.object({
      type: z.literal('authorization_needed'),
      url: z.url({ protocol: /^https?$/ }).describe('Where to send the browser of the person who signs in.'),
      purpose: z.string(),
    }),
    z.object({ type: z.literal('finding'), ...finding, done: count, total: count }),
    z.object({ type: z.literal('finished'), id: z.uuid(), summary: SummarySchema, duration_ms: count }),
    z
      .object({ type: z.literal('stopped'), id: z.uuid(), error: z.string(), error_description: z.string() })
      .describe('It stopped early, or could not be stored.'),
  ])
  .meta({ id: 'AssessmentEvent' });
export type AssessmentLine = z.output<typeof AssessmentEventSchema>;
