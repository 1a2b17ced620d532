import type { Exchange } from '@/lib/oauth/audit/exchange';
import type { Stage } from '@/lib/oauth/replays/stage';

/** Who takes part in an attack. */
export type Actor = 'victim' | 'attacker' | 'client' | 'authorization server' | 'resource server' | 'another service';

/** One arrow of the sequence diagram. */
export interface ReplayStep {
  from: Actor;
  to: Actor;
  text: string;
  /** What was really sent and answered; empty for what happens outside of the target, such as a theft. */
  exchanges: readonly Exchange[];
  /** The step was turned down. */
  refused: boolean;
}

/** How an attack ended. */
export type ReplayResult =
  | { kind: 'blocked'; by: readonly string[]; reason: string }
  | { kind: 'succeeded'; reason: string }
  /** It could not be played at this target. */
  | { kind: 'not_played'; reason: string };

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

/** An attack that was played. */
export interface ReplayReport {
  replay: string;
  steps: readonly ReplayStep[];
  result: ReplayResult;
}
