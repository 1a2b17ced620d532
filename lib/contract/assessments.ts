import { z } from 'zod';
import {
  AssessmentEventSchema,
  ExchangeSchema,
  finding,
  GRADES,
  PreflightSchema,
  SEVERITIES,
  SummarySchema,
} from '@/lib/contract/assessment-events';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { EXAMPLE_ID } from '@/lib/contract/fields/ids';
import { ExpiryInput, InstantSchema, timeRange } from '@/lib/contract/fields/instant';
import { declarePage, oneOrMore, pageParameters, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { DisplayName, ReasonSchema } from '@/lib/contract/fields/text';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { count, declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

export const CHANGES = ['new', 'fixed', 'same', 'unknown'] as const;

const off = z.array(z.enum(SWITCHES)).max(SWITCHES.length).default([]).describe('Controls that are switched off.');

const StoredAssessmentSchema = object('Assessment', {
  id: z.uuid(),
  name: z.string(),
  kind: z.enum(['lab', 'server']),
  target: z.string().describe('The issuer, or the URL of the resource.'),
  state: z
    .enum(['running', 'finished', 'stopped'])
    .describe('Stopped: its reader or its process went away before the end.'),
  started_at: InstantSchema,
  started_by: z.string(),
  build: z.string().describe('The build of Sluice that judged.'),
  duration_ms: count,
  summary: SummarySchema,
});
export type StoredAssessment = z.output<typeof StoredAssessmentSchema>;

const AcceptanceSchema = object('Acceptance', {
  reason: z.string(),
  until: InstantSchema.nullable().describe('Null: until it is withdrawn.'),
  by: z.string(),
  at: InstantSchema,
});

const controlIds = z.array(z.string()).optional();

/** Texts of a control in the catalogue. */
const described = {
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
  started_at: InstantSchema,
});

const ReportSchema = object('AssessmentReport', {
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

const ControlSchema = object('Control', {
  id: z.string(),
  ...described,
  oauch: z.string().optional().describe('The corresponding test of OAuch.'),
  switchable: z.boolean().describe('The lab can switch it off.'),
  cost: z.enum(['harmless', 'waits', 'ends-grant']),
  needs: z.array(z.string()).describe('What has to be given for it to be decided, such as `client`.'),
  requests: count.describe('Approximate number of requests if it can be decided.'),
  tries: z
    .record(z.string(), z.string())
    .describe('What it tries or reads, with the advisories or the section of a specification that each stems from.'),
});
export type ControlInCatalogue = z.output<typeof ControlSchema>;

const Actor = z.enum(['victim', 'attacker', 'client', 'authorization server', 'resource server', 'another service']);

const ReplayReportSchema = object('ReplayReport', {
  replay: z.string(),
  steps: z.array(
    z.object({ from: Actor, to: Actor, text: z.string(), exchanges: z.array(ExchangeSchema), refused: z.boolean() }),
  ),
  result: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('blocked'), by: z.array(z.string()), reason: z.string() }),
    z.object({ kind: z.literal('succeeded'), reason: z.string() }),
    z.object({ kind: z.literal('not_played'), reason: z.string() }),
  ]),
});

const tag = 'OAuth assessments';
const byId = { tag, params: z.strictObject({ id: z.uuid() }), example: { params: { id: EXAMPLE_ID } } } as const;
const assessments = resource('/v1/oauth/assessments', { tag });
const assessment = resource('/v1/oauth/assessments/{id}', byId);
const responses = resource('/v1/oauth/assessments/{id}/authorization-responses', byId);
const accepted = resource('/v1/oauth/assessments/{id}/accepted/{control}', {
  tag,
  params: z.strictObject({ id: z.uuid(), control: z.string().max(64) }),
  example: { params: { id: EXAMPLE_ID, control: 'require-pkce' } },
});

export const startAssessment = assessments.post('startAssessment', 'viewer', {
  command: 'assessments start',
  reason: 'query',
  summary: 'Assess an OAuth server by the whole catalogue',
  description:
    'Streams its progress, one JSON object per line, and keeps the report. The lab runs in a sandbox in process. A server needs the role operator, and a public address unless `SLUICE_ASSESS_ALLOW` names it. Disconnecting stops it; what was found until then is kept. The newest 200 assessments of the lab and the newest 1,000 of servers are kept.',
  body: json(
    input('NewAssessment', {
      target: z.union(
        [z.strictObject({ lab: z.strictObject({ off }) }), z.strictObject({ server: ServerTargetInput })],
        'must have either lab or server',
      ),
      name: DisplayName.optional(),
      keep: z.boolean().default(true).describe('False: a report of the lab is streamed and not stored.'),
      only: z
        .array(z.string().max(64))
        .min(1)
        .max(200)
        .optional()
        .describe('Ids of the controls to assess instead of the whole catalogue. Needs `keep: false`.'),
    }).superRefine(({ target, keep, only }, context) => {
      const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      if (!keep && !('lab' in target)) issue('keep', 'must be true for a server');
      if (keep && only !== undefined) issue('only', 'is possible only with keep: false');
    }),
  ),
  example: {
    body: {
      name: 'Staging',
      target: {
        server: {
          issuer: 'https://login.example.com',
          client: { client_id: 'my-client', redirect_uri: 'https://app.example.com/callback', authentication: 'none' },
          scope: 'openid profile',
          login: 'browser',
        },
      },
    },
  },
  response: {
    ...ok('Findings, as a stream.', AssessmentEventSchema),
    mediaTypes: ['application/x-ndjson'],
  },
  errors: ['not_found'],
});

export const listAssessments = assessments.get('listAssessments', 'viewer', {
  command: 'assessments list',
  summary: 'List assessments',
  description: 'Newest first unless `sort` is given.',
  query: z.strictObject({
    ...pageParameters,
    q: searchIn('Part of the name or the target; ASCII letter case is ignored.'),
    kind: z.enum(['lab', 'server']).optional(),
    target: z.string().max(2048).optional().describe('Exactly this target.'),
    grade: oneOrMore(GRADES),
    ...timeRange,
    sort: sortParameter(['started_at', 'name', 'target'], '-started_at'),
  }),
  example: { query: { limit: '50' } },
  response: declarePage('A page of assessments, without their findings.', StoredAssessmentSchema),
});

export const readAssessment = assessment.get('readAssessment', 'viewer', {
  command: 'assessments get',
  summary: 'Read the report of an assessment',
  description:
    'HTML is one self-contained page without scripts, for people and printers; SARIF is 2.1.0 with suppressions for accepted findings.',
  query: z.strictObject({
    format: z
      .enum(['json', 'markdown', 'html', 'sarif', 'junit'], 'must be json, markdown, html, sarif or junit')
      .default('json'),
    baseline: z.uuid().optional().describe('An earlier assessment to compare with.'),
  }),
  example: { params: { id: EXAMPLE_ID }, query: { format: 'json' } },
  response: {
    ...ok('The report.', ReportSchema),
    mediaTypes: ['application/json', 'text/markdown', 'text/html', 'application/sarif+json', 'application/xml'],
    headers: { 'Content-Disposition': 'A file name.' },
  },
  errors: ['not_found'],
});

export const removeAssessment = assessment.delete('removeAssessment', 'operator', {
  command: 'assessments remove',
  reason: 'query',
  summary: 'Remove an assessment',
  response: declareNoContent('The assessment and its findings are removed.'),
  errors: ['not_found'],
});

export const answerAuthorization = responses.post('answerAuthorization', 'viewer', {
  command: 'assessments answer',
  summary: 'Hand in where the browser came back to',
  description:
    'Answers the oldest open `authorization_needed`, within 10 minutes; whoever started the assessment, or an operator. Null says that the browser did not come back. `invalid_request` when the address cannot be the answer: then it is still asked for. `conflict` when nothing is asked for.',
  body: json(input('AuthorizationResponse', { url: z.url().max(16_384).nullable() })),
  example: { body: { url: 'https://sluice.example.com/oauth/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz' } },
  response: declareNoContent('The assessment goes on.'),
  errors: ['not_found', 'conflict'],
});

export const acceptFinding = accepted.put('acceptFinding', 'operator', {
  command: 'assessments accept',
  reason: 'body',
  summary: 'Accept a failed control',
  description:
    'For all assessments of the same target, until it ends or is withdrawn. It still counts in the grade. `conflict` when the control did not fail in this assessment.',
  body: json(input('NewAcceptance', { reason: ReasonSchema, until: ExpiryInput })),
  example: { body: { reason: 'Legacy client until the migration', until: '2027-03-01T00:00:00Z' } },
  response: ok('The acceptance.', AcceptanceSchema),
  errors: ['not_found', 'conflict'],
});

export const withdrawAcceptance = accepted.delete('withdrawAcceptance', 'operator', {
  command: 'assessments withdraw-acceptance',
  reason: 'query',
  summary: 'Withdraw the acceptance of a failed control',
  response: declareNoContent('The control is open again.'),
  errors: ['not_found'],
});

export const listControls = resource('/v1/oauth/controls', { tag }).get('listControls', 'viewer', {
  command: 'oauth controls',
  summary: 'List the catalogue of controls',
  response: ok('Every control, the most severe first.', z.array(ControlSchema)),
});

export const playReplay = resource('/v1/oauth/replays/{replay}', { tag }).post('playReplay', 'viewer', {
  command: 'lab replay',
  summary: 'Replay an attack against the built-in lab',
  description: 'Runs in a sandbox in process.',
  params: z.strictObject({ replay: z.string().max(64) }),
  body: json(input('LabRun', { off })),
  example: { params: { replay: 'token-replay' }, body: { off: ['validate-audience'] } },
  response: ok('The steps and how the attack ended.', ReplayReportSchema),
  errors: ['not_found'],
});
