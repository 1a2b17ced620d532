import { z } from 'zod';
import {
  ExchangeSchema,
  finding,
  GRADES,
  PreflightSchema,
  SEVERITIES,
  SummarySchema,
} from '@/lib/contract/assessment-events';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, object } from '@/lib/contract/resource';

export const CHANGES = ['new', 'fixed', 'same', 'unknown'] as const;

export const StoredAssessmentSchema = object('Assessment', {
  id: z.uuid(),
  name: z.string(),
  kind: z.enum(['lab', 'server']),
  target: z.string().describe('The issuer, or the URL of the resource.'),
  state: z
    .enum(['running', 'finished', 'stopped'])
    .describe('Stopped: its reader or its process went away before the end.'),
  started_at: TimestampSchema,
  started_by: z.string(),
  build: z.string().describe('The build of Sluice that judged.'),
  duration_ms: count,
  summary: SummarySchema,
});
export type StoredAssessment = z.output<typeof StoredAssessmentSchema>;

export const AcceptanceSchema = object('Acceptance', {
  reason: z.string(),
  until: TimestampSchema.nullable().describe('Null: until it is withdrawn.'),
  by: z.string(),
  at: TimestampSchema,
});

const controlIds = z.array(z.string()).optional();

/** Texts of a control in the catalogue. */
export const described = {
  title: z.string(),
  severity: z.enum(SEVERITIES),
  area: z.string(),
  source: z.array(z.string()).describe('Sections of specifications.'),
  protects_from: z.string().describe('Gain of an attacker if it is missing.'),
  wrong: z.string().describe('The defect if it fails.'),
  remedy: z.string().describe('What to change.'),
  remedy_in: z.record(z.string(), z.string()).optional().describe('The same in the words of products, by their names.'),
};

const ThreatSchema = object('Threat', {
  source: z.string().describe('The section of RFC 6819 or RFC 9700 that describes it.'),
  title: z.string(),
  state: z
    .enum(['mitigated', 'partly', 'open', 'not judged'])
    .describe(
      'Mitigated: every control that applies passed. Open: a critical one failed, or every one that was decided.',
    ),
  controls: z.array(z.string()).describe('The controls that mitigate it.'),
  unjudged: z.string().optional().describe('Why it cannot be judged from outside.'),
});

const CauseSchema = object('FindingCause', {
  control: z.string().describe('The control that names it.'),
  severity: described.severity.describe('The worst severity of its controls.'),
  controls: z.array(z.string()).describe('The failed controls that it explains, with its own.'),
});

const ClauseSchema = object('ProfileClause', {
  source: z.string().describe('The section of the profile and the number of the clause.'),
  requirement: z.string(),
  state: z
    .enum(['met', 'violated', 'undecided', 'not judged'])
    .describe('Met: every control of it passed, or the answers show it. Not judged: nothing decides it from outside.'),
  reason: z.string(),
  controls: z.array(z.string()).describe('The controls that decide it. Empty if the answers themselves do.'),
});

const ProfileSchema = object('AssessedProfile', {
  id: z.string(),
  title: z.string(),
  document: z.string(),
  grade: z
    .enum(GRADES)
    .nullable()
    .describe('By the rules of the grade of the summary: a violated clause counts like a high cause.'),
  met: count,
  violated: count,
  undecided: count,
  not_judged: count,
  clauses: z.array(ClauseSchema),
});

const BaselineSchema = object('AssessmentBaseline', {
  id: z.uuid(),
  name: z.string(),
  target: z.string().describe('Another target than that of the report is allowed, such as staging and production.'),
  started_at: TimestampSchema,
});

export const ReportSchema = object('AssessmentReport', {
  ...StoredAssessmentSchema.shape,
  preflight: PreflightSchema,
  findings: z.array(
    z.object({
      ...finding,
      ...described,
      exchanges: z.array(z.string()).describe('Ids in `exchanges`, in their order.'),
      cause: z
        .string()
        .optional()
        .describe('Of a failed control: the control that names its cause. Itself, unless another explains it.'),
      accepted: AcceptanceSchema.optional().describe('Only while the acceptance holds.'),
      change: z
        .enum(CHANGES)
        .optional()
        .describe('Since the baseline; `unknown`: it failed there and could not be decided now.'),
    }),
  ),
  exchanges: z
    .record(z.string(), ExchangeSchema)
    .describe('Each request and its answer once, by its id. Bodies are cut if a report becomes too large.'),
  product: z.string().nullable().describe('The product that the server is, as far as its answers show it.'),
  causes: z.array(CauseSchema).describe('The defects behind the failed controls, the most severe first.'),
  threats: z.array(ThreatSchema),
  profiles: z.array(ProfileSchema).describe('The same findings by the clauses of published profiles.'),
  baseline: BaselineSchema.optional(),
  new: controlIds.describe('Controls that failed now and not in the baseline.'),
  fixed: controlIds.describe('Controls that failed in the baseline and passed now, or do not apply any more.'),
  same: controlIds.describe('Controls that failed both times.'),
  unknown: controlIds.describe('Controls that failed in the baseline and could not be decided now.'),
});
export type AssessmentReport = z.output<typeof ReportSchema>;
