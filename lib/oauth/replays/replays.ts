import { algorithmConfusion } from '@/lib/oauth/replays/algorithm-confusion';
import { callbackCsrf } from '@/lib/oauth/replays/callback-csrf';
import { codeInjection } from '@/lib/oauth/replays/code-injection';
import { codeInterception } from '@/lib/oauth/replays/code-interception';
import { mixUp } from '@/lib/oauth/replays/mix-up';
import { pkceDowngradeAttack } from '@/lib/oauth/replays/pkce-downgrade-attack';
import { redirectManipulation } from '@/lib/oauth/replays/redirect-manipulation';
import { refreshTokenTheft } from '@/lib/oauth/replays/refresh-token-theft';
import type { Replay } from '@/lib/oauth/replays/replay';
import { scopeEscalation } from '@/lib/oauth/replays/scope-escalation';
import { tokenReplay } from '@/lib/oauth/replays/token-replay';

/** The attacks that can be played, in the order of the catalogue. */
export const REPLAYS: readonly Replay[] = [
  codeInterception,
  redirectManipulation,
  callbackCsrf,
  tokenReplay,
  pkceDowngradeAttack,
  codeInjection,
  mixUp,
  algorithmConfusion,
  refreshTokenTheft,
  scopeEscalation,
];
