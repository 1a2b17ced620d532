import { setTimeout as sleep } from 'node:timers/promises';
import { createSandboxedLab } from '@/lib/admin/assessments/sandboxed-lab';
import { playReplay as contract } from '@/lib/contract/assessments';
import { ApiError } from '@/lib/http/api-error';
import { playReplay as play } from '@/lib/oauth/replays/replay';
import { REPLAYS } from '@/lib/oauth/replays/replays';
import { implement } from '@/lib/operation/operation';

/** Plays one attack against the built-in lab with some controls switched off. */
export const playReplay = implement(contract, async (context, { params, body }) => {
  const lab = createSandboxedLab(context, body.off);
  const replay = REPLAYS.find(({ id }) => id === params.replay);
  if (replay === undefined) throw new ApiError('not_found', 'There is no such replay.');
  const { clock, randomBytes } = context.services;
  return play(replay, lab, { clock, random: randomBytes, sleep });
});
