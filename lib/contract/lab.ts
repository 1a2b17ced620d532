import { z } from 'zod';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { json, namedInput, namedObject, ok, resource } from '@/lib/contract/resource';

/** What a run in the lab is done with: the controls that are left out. */
export const LabRunInput = namedInput('LabRun', {
  off: z.array(z.enum(SWITCHES)).max(SWITCHES.length).default([]).describe('Controls that are switched off.'),
});

const Header = z.tuple([z.string(), z.string()]);

/** One request and its answer: the evidence of a verdict, without secrets. */
export const ExchangeSchema = namedObject('LabExchange', {
  label: z.string(),
  request: z.object({ method: z.string(), url: z.string(), headers: z.array(Header), body: z.string() }),
  response: z.object({ status: z.int(), headers: z.array(Header), body: z.string() }),
  startedAt: z.number(),
  durationMs: z.number().describe('Milliseconds.'),
  tokens: z
    .array(z.object({ name: z.string(), header: z.unknown(), claims: z.unknown() }))
    .optional()
    .describe('The JWTs in it: in the texts a placeholder with the same name stands for each.'),
});

/** What was found out about one control. */
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

/** Findings as they are found. */
export const PROGRESS = {
  ...ok('What is found, as it is found.', AssessmentEventSchema),
  mediaTypes: ['application/x-ndjson'],
} as const;
export const lab = { tag: 'OAuth lab', errors: ['not_found'] } as const;

export const auditLab = resource('/v1/oauth-lab/audits', lab).post('auditLab', 'viewer', {
  summary: 'Judge the built-in lab by the whole catalogue',
  description: 'Runs in a sandbox in process. Answers with progress, one JSON object a line.',
  body: json(LabRunInput),
  example: { body: { off: ['require-pkce', 'validate-audience'] } },
  response: PROGRESS,
});
