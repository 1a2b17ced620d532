import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxedLab } from '@/lib/admin/assessments/sandboxed-lab';
import { playReplay as contract } from '@/lib/contract/assessments';
import { ApiError } from '@/lib/http/api-error';
import { playReplay as play } from '@/lib/oauth/replays/replay';
import { REPLAYS } from '@/lib/oauth/replays/replays';
import { implement } from '@/lib/operation/operation';

/** One attack, played against the built-in lab with some of its controls left out. */
export const playReplay = implement(contract, async (context, { params, body }) => {
  const lab = sandboxedLab(context, body.off);
  const replay = REPLAYS.find(({ id }) => id === params.replay);
  if (replay === undefined) throw new ApiError('not_found', 'There is no such replay.');
  const { clock, randomBytes } = context.services;
  return play(replay, lab, { clock, random: randomBytes, sleep });
});
