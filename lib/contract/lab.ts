import { z } from 'zod';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { json, namedInput, namedObject, ok, resource } from '@/lib/contract/resource';

/** The settings of a run in the lab. */
const LabRunInput = namedInput('LabRun', {
  off: z.array(z.enum(SWITCHES)).max(SWITCHES.length).default([]).describe('Controls that are switched off.'),
});

const Header = z.tuple([z.string(), z.string()]);

/** One request and its answer: the evidence of a verdict, without secrets. */
const ExchangeSchema = namedObject('LabExchange', {
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

/** The verdict on one control. */
const FindingSchema = namedObject('AssessmentFinding', {
  control: z.string(),
  verdict: z.object({
    kind: z.enum(['passed', 'failed', 'not_applicable', 'inconclusive']),
    reason: z.string(),
  }),
  exchanges: z.array(ExchangeSchema),
  durationMs: z.number().describe('Milliseconds.'),
});

/** One line of the progress of an audit. */
export const AssessmentEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('started'), total: z.int() }),
    z.object({ type: z.literal('found'), done: z.int(), total: z.int(), finding: FindingSchema }),
    z.object({ type: z.literal('finished'), findings: z.array(FindingSchema), durationMs: z.number() }),
  ])
  .meta({ id: 'AssessmentEvent' });

const Actor = z.enum(['victim', 'attacker', 'client', 'authorization server', 'resource server', 'another service']);

/** An attack that was played. */
const ReplayReportSchema = namedObject('ReplayReport', {
  replay: z.string(),
  steps: z.array(
    z.object({
      from: Actor,
      to: Actor,
      text: z.string(),
      exchanges: z.array(ExchangeSchema),
      refused: z.boolean(),
    }),
  ),
  result: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('blocked'), by: z.array(z.string()), reason: z.string() }),
    z.object({ kind: z.literal('succeeded'), reason: z.string() }),
    z.object({ kind: z.literal('not_played'), reason: z.string() }),
  ]),
});

export const PROGRESS = {
  ...ok('Findings, as a stream.', AssessmentEventSchema),
  mediaTypes: ['application/x-ndjson'],
} as const;
export const lab = { tag: 'OAuth lab', errors: ['not_found'] } as const;

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
