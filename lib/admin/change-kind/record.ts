import { z } from 'zod';
import type { audit } from '@/drizzle/schema';
import type { Millis } from '@/lib/units';

export type AuditRow = typeof audit.$inferSelect;

/** A value that a record holds as JSON. A tampered record is shown as it is. */
export function jsonIn(json: string | null): unknown {
  if (json === null) return null;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** An audit record that is to be taken back. */
export type UndoneRecord = Pick<AuditRow, 'seq' | 'at' | 'action' | 'target'> & { before: unknown; after: unknown };

/** A row of the audit log as its reversal reads it. */
export function toUndoneRecord({ seq, at, action, target, before, after }: AuditRow): UndoneRecord {
  return { seq, at, action, target, before: jsonIn(before), after: jsonIn(after) };
}

const ANYTHING = z.record(z.string(), z.unknown());

/** Members of a record's `before` or `after`; none where there was nothing. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return ANYTHING.safeParse(value).data ?? {};
}

/** Whether some members of two values are the same in JSON. */
export function sameMembers(one: unknown, other: unknown, names: readonly string[]): boolean {
  const [a, b] = [membersOf(one), membersOf(other)];
  return names.every((name) => JSON.stringify(a[name] ?? null) === JSON.stringify(b[name] ?? null));
}

/** A time of a record in milliseconds. */
export function timeIn(value: string | null): Millis | null {
  return value === null ? null : Date.parse(value);
}

/** When an entry that a record would bring back has ended; null while it has not. */
export function endedAt(before: unknown, member: 'expires_at' | 'until', now: Millis): string | null {
  const { [member]: end } = membersOf(before);
  return typeof end === 'string' && Date.parse(end) <= now ? end : null;
}
