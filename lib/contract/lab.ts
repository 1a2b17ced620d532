import { z } from 'zod';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { COMPARISON_PATH, LAB_PATHS } from '@/lib/contract/lab-paths';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { input, json, object, ok, resource } from '@/lib/contract/resource';

const LabRunInput = input('LabRun', {
  off: z.array(z.enum(SWITCHES)).max(SWITCHES.length).default([]).describe('Controls that are switched off.'),
});

const headerText = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

const Header = z.tuple([z.string(), z.string()]);

/** One request and its answer: the evidence of a verdict, without secrets. */
const ExchangeSchema = object('LabExchange', {
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

const FindingSchema = object('AssessmentFinding', {
  control: z.string(),
  verdict: z.object({ kind: z.enum(['passed', 'failed', 'not_applicable', 'inconclusive']), reason: z.string() }),
  exchanges: z.array(ExchangeSchema),
  durationMs: z.number().describe('Milliseconds.'),
});

export const AssessmentEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('started'), total: z.int() }),
    z.object({ type: z.literal('found'), done: z.int(), total: z.int(), finding: FindingSchema }),
    z.object({ type: z.literal('finished'), findings: z.array(FindingSchema), durationMs: z.number() }),
  ])
  .meta({ id: 'AssessmentEvent' });

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

const PROGRESS = {
  ...ok('Findings, as a stream.', AssessmentEventSchema),
  mediaTypes: ['application/x-ndjson'],
} as const;
const lab = { tag: 'OAuth lab', errors: ['not_found'] } as const;

export const auditLab = resource('/v1/oauth-lab/audits', lab).post('auditLab', 'viewer', {
  summary: 'Assess the built-in lab by the whole catalogue',
  description: 'Runs in a sandbox in process. Streams its progress, one JSON object per line.',
  body: json(LabRunInput),
  example: { body: { off: ['require-pkce', 'validate-audience'] } },
  response: PROGRESS,
});

export const playLabReplay = resource('/v1/oauth-lab/replays/{replay}', lab).post('playLabReplay', 'viewer', {
  summary: 'Replay an attack against the built-in lab',
  description: 'Runs in a sandbox in process.',
  params: z.object({ replay: z.string().max(64) }),
  body: json(LabRunInput),
  example: { params: { replay: 'token-replay' }, body: { off: ['validate-audience'] } },
  response: ok('The steps and how the attack ended.', ReplayReportSchema),
});

export const auditServer = resource('/v1/oauth-lab/server-audits', lab).post('auditServer', 'operator', {
  summary: 'Assess an authorization server by the whole catalogue',
  description:
    'Sends requests to a public address only. Streams its progress, one JSON object per line; secrets are redacted.',
  body: json(ServerTargetInput),
  example: {
    body: {
      issuer: 'https://login.example.com',
      client: { client_id: 'my-client', redirect_uri: 'https://app.example.com/callback' },
      scope: 'openid profile',
    },
  },
  response: PROGRESS,
});

export const CompareInput = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z
    .string()
    .max(8_192)
    .refine(
      (path) => Object.values<string>(LAB_PATHS).includes(path.split('?')[0] ?? ''),
      'must be an endpoint of the lab',
    ),
  headers: z.array(z.tuple([z.string().regex(/^[A-Za-z0-9-]{1,64}$/), headerText(16_384)])).max(20),
  body: z.string().max(65_536).nullable(),
});

const compare = resource(COMPARISON_PATH, { tag: 'OAuth lab', servedBy: 'lab' });

export const compareInLab = compare.post('compareInLab', 'public', {
  summary: 'Compare a request with the secure configuration',
  description: 'Sends a request to the lab and compares it with a dry run of the same request with every control on.',
  body: json(CompareInput),
  example: {
    body: { method: 'GET', path: '/api/data', headers: [['Sluice-Lab-Controls', 'validate-audience=?0']], body: null },
  },
  response: ok(
    'Both exchanges, and every control that would have refused.',
    object('LabComparison', { given: z.looseObject({}), secure: z.looseObject({}), blocked_by: z.array(z.string()) }),
  ),
  errors: ['not_found'],
});
