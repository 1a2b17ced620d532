import { z } from 'zod';
import { SWITCHES } from '@/lib/oauth/lab/controls';

/** What a run in the lab is done with: the controls that are left out. */
export const LabRunInput = z
  .strictObject({
    off: z.array(z.enum(SWITCHES)).max(SWITCHES.length).default([]).describe('Controls that are switched off.'),
  })
  .meta({ id: 'LabRun' });

const Header = z.tuple([z.string(), z.string()]);

/** One request and its answer: the evidence of a verdict, without secrets. */
const ExchangeSchema = z
  .object({
    label: z.string(),
    request: z.object({ method: z.string(), url: z.string(), headers: z.array(Header), body: z.string() }),
    response: z.object({ status: z.int(), headers: z.array(Header), body: z.string() }),
    startedAt: z.number(),
    durationMs: z.number().describe('Milliseconds.'),
    tokens: z
      .array(z.object({ name: z.string(), header: z.unknown(), claims: z.unknown() }))
      .optional()
      .describe('The JWTs in it: in the texts a placeholder with the same name stands for each.'),
  })
  .meta({ id: 'LabExchange' });

/** What was found out about one control. */
export const FindingSchema = z
  .object({
    control: z.string(),
    verdict: z.object({
      kind: z.enum(['passed', 'failed', 'not_applicable', 'inconclusive']),
      reason: z.string(),
    }),
    exchanges: z.array(ExchangeSchema),
    durationMs: z.number().describe('Milliseconds.'),
  })
  .meta({ id: 'AssessmentFinding' });

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
export const ReplayReportSchema = z
  .object({
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
  })
  .meta({ id: 'ReplayReport' });
