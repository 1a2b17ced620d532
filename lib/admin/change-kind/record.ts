import type { audit } from '@/drizzle/schema';
import { isJsonObject, type JsonObject, parseJson } from '@/lib/json';
import type { Millis } from '@/lib/units';

export type AuditRow = typeof audit.$inferSelect;

/** Parses a value of an audit record. Returns the text itself if it is not valid JSON, as after tampering. */
export function parseRecordedValue(json: string | null): unknown {
  if (json === null) return null;
  const value = parseJson(json);
  return value === undefined ? json : value;
}

/** An audit record that is to be undone. */
export type UndoneRecord = Pick<AuditRow, 'seq' | 'at' | 'action' | 'target'> & { before: unknown; after: unknown };

/** Converts a row of the audit log into the record that a reversal reads. */
export function parseUndoneRecord({ seq, at, action, target, before, after }: AuditRow): UndoneRecord {
  return { seq, at, action, target, before: parseRecordedValue(before), after: parseRecordedValue(after) };
}

/** Reads the members of a record's `before` or `after`. Empty if it is null. */
export function readMembers(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Compares some members of two values by their JSON. */
export function haveSameMembers(one: unknown, other: unknown, names: readonly string[]): boolean {
  const [a, b] = [readMembers(one), readMembers(other)];
  return names.every((name) => JSON.stringify(a[name] ?? null) === JSON.stringify(b[name] ?? null));
}

/** Parses a time of a record into milliseconds. */
export function parseTime(value: string | null): Millis | null {
  return value === null ? null : Date.parse(value);
}

/** Returns the end of an entry that an undo would restore, if it has passed. Null otherwise. */
export function findPastEnd(before: unknown, member: 'expires_at' | 'until', now: Millis): string | null {
  const { [member]: end } = readMembers(before);
  return typeof end === 'string' && Date.parse(end) <= now ? end : null;
}
