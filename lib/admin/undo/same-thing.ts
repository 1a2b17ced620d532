import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import { findChangeKind } from '@/lib/admin/changes';

/** Says whether two changes of the same target touch the same part of it. */
export function isSameThing(one: UndoneRecord, other: UndoneRecord): boolean {
  const thing = findThing(one);
  if (thing === undefined || thing !== findThing(other)) return false;
  return findChangeKind(one.action)?.overlaps?.(one, other) ?? true;
}

function findThing(record: UndoneRecord): string | undefined {
  const thing = findChangeKind(record.action)?.thing;
  return typeof thing === 'function' ? thing(record) : thing;
}
