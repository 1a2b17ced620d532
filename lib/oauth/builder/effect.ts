import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { ReplayResult } from '@/lib/oauth/replays/replay';

/** Results of controls and attacks under one configuration, by id. */
export interface Outcomes {
  verdicts: ReadonlyMap<string, VerdictKind>;
  attacks: ReadonlyMap<string, ReplayResult['kind']>;
}

/** Ids of controls and attacks whose result changed with the configuration. */
export interface Effect {
  failed: readonly string[];
  fixed: readonly string[];
  succeeding: readonly string[];
  blocked: readonly string[];
}

/** Compares two sets of results. An id that is missing in either set is ignored. */
export function compareOutcomes(before: Outcomes, now: Outcomes): Effect {
  const listChangedTo = <Kind>(from: ReadonlyMap<string, Kind>, to: ReadonlyMap<string, Kind>, kind: Kind) =>
    [...to].filter(([id, is]) => is === kind && from.has(id) && from.get(id) !== kind).map(([id]) => id);
  return {
    failed: listChangedTo(before.verdicts, now.verdicts, 'failed'),
    fixed: listChangedTo(now.verdicts, before.verdicts, 'failed'),
    succeeding: listChangedTo(before.attacks, now.attacks, 'succeeded'),
    blocked: listChangedTo(now.attacks, before.attacks, 'succeeded'),
  };
}
