import { z } from 'zod';
import { requireLab } from '@/lib/admin/lab/require-lab';
import { sandboxedLab } from '@/lib/admin/lab/sandboxed-lab';
import { LabRunInput, ReplayReportSchema } from '@/lib/contract/lab';
import { ApiError } from '@/lib/http/api-error';
import { playReplay } from '@/lib/oauth/replays/play-replay';
import { REPLAYS } from '@/lib/oauth/replays/replays';
import { operation } from '@/lib/operation/operation';

/** One attack, played against the built-in lab with some of its controls left out. */
export const playLabReplay = operation({
  id: 'playLabReplay',
  method: 'POST',
  path: '/v1/oauth-lab/replays/{replay}',
  tag: 'OAuth lab',
  summary: 'Play an attack against the built-in lab',
  description: 'Runs in a sandbox in process.',
  access: 'viewer',
  params: z.object({ replay: z.string().max(64) }),
  body: { schema: LabRunInput, required: true },
  response: { status: 200, description: 'The steps and how the attack ended.', schema: ReplayReportSchema },
  errors: ['not_found'],
  run: async (context, { params, body }) => {
    requireLab(context);
    const replay = REPLAYS.find((one) => one.id === params.replay);
    if (replay === undefined) throw new ApiError('not_found', 'There is no such attack.');
    const { clock, randomBytes } = context.services;
    return playReplay(replay, sandboxedLab(context, body?.off ?? []), { clock, random: randomBytes });
  },
});
