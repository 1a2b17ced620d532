import { CODE_ATTACKS } from '@/lib/oauth/replays/code-attacks';
import type { Replay } from '@/lib/oauth/replays/stage';
import { TOKEN_ATTACKS } from '@/lib/oauth/replays/token-attacks';

/** The attacks that can be played, in the order in which they are shown. */
export const REPLAYS: readonly Replay[] = [
  CODE_ATTACKS.codeInterception,
  CODE_ATTACKS.redirectManipulation,
  CODE_ATTACKS.callbackCsrf,
  TOKEN_ATTACKS.tokenReplay,
  CODE_ATTACKS.pkceDowngradeAttack,
  CODE_ATTACKS.codeInjection,
  CODE_ATTACKS.mixUp,
  TOKEN_ATTACKS.algorithmConfusion,
  TOKEN_ATTACKS.refreshTokenTheft,
  TOKEN_ATTACKS.scopeEscalation,
];

/** The attacks without their code: what a page shows. */
export function describeReplays(): Omit<Replay, 'play'>[] {
  return REPLAYS.map(({ play: _, ...description }) => description);
}
