import { z } from 'zod';
import { ExchangeSchema, LabRunInput, lab } from '@/lib/contract/lab';
import { json, namedObject, ok, resource } from '@/lib/contract/resource';

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

export const playLabReplay = resource('/v1/oauth-lab/replays/{replay}', lab).post('playLabReplay', 'viewer', {
  summary: 'Play an attack against the built-in lab',
  description: 'Runs in a sandbox in process.',
  params: z.object({ replay: z.string().max(64) }),
  body: json(LabRunInput),
  example: { params: { replay: 'token-replay' }, body: { off: ['validate-audience'] } },
  response: ok('The steps and how the attack ended.', ReplayReportSchema),
});
