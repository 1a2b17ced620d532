import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { ReplayResult } from '@/lib/oauth/replays/replay';

/** How controls and attacks came out under one configuration, by their ids. */
export interface Outcomes {
  verdicts: ReadonlyMap<string, VerdictKind>;
  attacks: ReadonlyMap<string, ReplayResult['kind']>;
}

/** What a change of the configuration has done. Ids of controls and of attacks. */
export interface Effect {
  failed: readonly string[];
  fixed: readonly string[];
  succeeding: readonly string[];
  blocked: readonly string[];
}

/** What is different now. Of what is not known yet, nothing is said. */
export function effectOf(before: Outcomes, now: Outcomes): Effect {
  const turned = <Kind>(from: ReadonlyMap<string, Kind>, to: ReadonlyMap<string, Kind>, kind: Kind) =>
    [...to].filter(([id, is]) => is === kind && from.has(id) && from.get(id) !== kind).map(([id]) => id);
  return {
    failed: turned(before.verdicts, now.verdicts, 'failed'),
    fixed: turned(now.verdicts, before.verdicts, 'failed'),
    succeeding: turned(before.attacks, now.attacks, 'succeeded'),
    blocked: turned(now.attacks, before.attacks, 'succeeded'),
  };
}
