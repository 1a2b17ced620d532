import { z } from 'zod';
import { AssessmentEventSchema, ExchangeSchema, GRADES } from '@/lib/contract/assessment-events';
import { AcceptanceSchema, described, ReportSchema, StoredAssessmentSchema } from '@/lib/contract/assessment-report';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { EXAMPLE_ID } from '@/lib/contract/fields/ids';
import { declarePage, oneOrMore, pageParameters, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { DisplayName, ReasonSchema } from '@/lib/contract/fields/text';
import { ExpiryInput, timeRange } from '@/lib/contract/fields/timestamp';
import { FAPI_REQUIREMENTS, SWITCHES } from '@/lib/contract/lab-switches';
import { count, declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

const off = z.array(z.enum(SWITCHES)).max(SWITCHES.length).default([]).describe('Controls that are switched off.');

const requirements = z
  .array(z.enum(FAPI_REQUIREMENTS))
  .max(FAPI_REQUIREMENTS.length)
  .default([])
  .describe('Requirements of the FAPI 2.0 Security Profile that are switched on.');

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
const AssessmentIdInput = z.uuid('must be a uuid').toLowerCase();
const byId = {
  tag,
  params: z.strictObject({ id: AssessmentIdInput }),
  example: { params: { id: EXAMPLE_ID } },
} as const;
const assessments = resource('/v1/oauth/assessments', { tag });
const assessment = resource('/v1/oauth/assessments/{id}', byId);
const responses = resource('/v1/oauth/assessments/{id}/authorization-responses', byId);
const accepted = resource('/v1/oauth/assessments/{id}/accepted/{control}', {
  tag,
  params: z.strictObject({ id: AssessmentIdInput, control: z.string().max(64) }),
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
        [z.strictObject({ lab: z.strictObject({ off, requirements }) }), z.strictObject({ server: ServerTargetInput })],
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
    baseline: AssessmentIdInput.optional().describe('An earlier assessment to compare with.'),
    exchanges: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'must be all, none, or the id of a control')
      .default('all')
      .describe('Exchanges in the JSON: `all`, `none`, or those of one control, by its id. The findings are the same.'),
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
  summary: 'Submit the address that the browser returned to',
  description:
    'Answers the oldest open `authorization_needed`, within 10 minutes; the member who started the assessment, or an operator. Null means that the browser did not return. `invalid_request` when the address cannot be the answer: then it is still asked for. `conflict` when nothing is asked for.',
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
