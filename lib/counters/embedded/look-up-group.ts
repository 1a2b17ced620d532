import type { SettledIds } from '@/lib/counters/embedded/settled-ids';
import { listSettled, type SettledList } from '@/lib/counters/embedded/settled-list';
import type { Settlement } from '@/lib/counters/store';
import { Corrections } from '@/lib/limiter/corrections';
import type { LookedUpCounter } from '@/lib/limiter/counter';
import { Group } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** Settlements and attempts of one transaction. */
export interface GroupInput {
  readonly attempts: readonly Attempt[];
  readonly settlements: readonly Settlement[];
  readonly now: Millis;
}

/** A group, and its counters as they are stored. */
interface LookedUpGroup {
  readonly group: Group;
  /** Counters that were not cached. */
  readonly loaded: readonly LookedUpCounter[];
  /** True if each settlement is the first with its id. */
  readonly settled: readonly boolean[];
  /** Ids to record. */
  readonly ids: SettledList;
}

const NO_IDS: SettledList = new Map();

/**
 * Looks up the counters of a group, and the ids of its settlements.
 * @param load looks up counters at a time, and returns those that were not cached
 */
export function lookUpGroup(
  { attempts, settlements, now }: GroupInput,
  settledIds: SettledIds,
  load: (counters: Iterable<LookedUpCounter>, at: Millis) => readonly LookedUpCounter[],
): LookedUpGroup {
  if (settlements.length === 0) {
    const group = new Group(attempts);
    return { group, loaded: load(group.counters, now), settled: [], ids: NO_IDS };
  }
  const settled = settledIds.findFirst(settlements, now);
  const first = settlements.filter((_, i) => settled[i]);
  const corrections = new Corrections(
    first.flatMap(({ charges }) => charges),
    now,
  );
  const group = new Group(attempts, corrections);
  const loaded = [...load([...corrections.present, ...group.counters], now)];
  for (const counter of corrections.past) loaded.push(...load([counter], counter.time));
  return { group, loaded, settled, ids: listSettled(first, now) };
}
