import type { Exchange } from '@/lib/oauth/assessment/exchange';

/** Who takes part in an attack. */
export type ReplayActor =
  | 'victim'
  | 'attacker'
  | 'client'
  | 'authorization server'
  | 'resource server'
  | 'another service';

/** One arrow of the sequence diagram. */
export interface ReplayStep {
  from: ReplayActor;
  to: ReplayActor;
  text: string;
  /** What was really sent and answered; empty for what happens outside the target, such as a theft. */
  exchanges: readonly Exchange[];
  /** The target refused the step. */
  refused: boolean;
}

/** How an attack ended. */
export type ReplayResult =
  | { kind: 'blocked'; by: readonly string[]; reason: string }
  | { kind: 'succeeded'; reason: string }
  /** It could not be played at this target. */
  | { kind: 'not_played'; reason: string };

/** An attack that was played. */
export interface ReplayReport {
  replay: string;
  steps: readonly ReplayStep[];
  result: ReplayResult;
}
