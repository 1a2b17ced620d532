import type { ReplayResult } from '@/lib/oauth/replays/replay-step';
import type { Stage } from '@/lib/oauth/replays/stage';

/** An attack as a story that is played with real requests. */
export interface Replay {
  id: string;
  title: string;
  /** The story in a sentence or two. */
  story: string;
  /** Where it is described. */
  source: readonly string[];
  /** The controls that stand against it. */
  defences: readonly string[];
  /** Plays it. @throws CannotProbe when the target does not let it be played */
  play(stage: Stage): Promise<ReplayResult>;
}
