import { isCount } from '@/lib/counters/slots-text';
import type { Settlement } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

/** Ids of settlements by the time until which they are remembered. */
export type SettledList = ReadonlyMap<Millis, readonly string[]>;

/** Groups the ids of settlements by the time until which they are remembered. */
export function listSettled(settlements: readonly Settlement[], now: Millis): SettledList {
  const list = new Map<Millis, string[]>();
  for (const { id, keptFor } of settlements) {
    const ids = list.get(now + keptFor);
    if (ids === undefined) list.set(now + keptFor, [id]);
    else ids.push(id);
  }
  return list;
}

/** Formats ids for a journal row, as JSON: `[[until, id, ...], ...]`. Null without ids. */
export function formatSettled(list: SettledList): string | null {
  return list.size === 0 ? null : JSON.stringify(Array.from(list, ([until, ids]) => [until, ...ids]));
}

/** Reads a member of the list that `formatSettled` has written. Null if it is damaged. */
export function readSettled(member: unknown): [until: Millis, ids: string[]] | null {
  const [until, ...ids]: unknown[] = Array.isArray(member) ? member : [];
  const isText = (id: unknown): id is string => typeof id === 'string';
  return isCount(until) && ids.every(isText) ? [until, ids] : null;
}
