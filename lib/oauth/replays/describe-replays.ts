import type { Replay } from '@/lib/oauth/replays/replay';
import { REPLAYS } from '@/lib/oauth/replays/replays';

/** The attacks in words: what a page shows, without the code that plays them. */
export function describeReplays(): Omit<Replay, 'play'>[] {
  return REPLAYS.map(({ play: _, ...description }) => description);
}
