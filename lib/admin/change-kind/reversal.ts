import { z } from 'zod';
import { type AuditRow, jsonIn } from '@/lib/admin/audit-log/record';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { CounterChange } from '@/lib/counters/store';
import type { Statement } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** An audit record that is to be taken back. */
export type UndoneRecord = Pick<AuditRow, 'seq' | 'at' | 'action' | 'target'> & { before: unknown; after: unknown };

/** What an undo writes, and what it says of it. */
interface ReversalPlan {
  statements?: Statement[];
  counters?: CounterChange[];
  /** What is back, in a sentence. */
  restored: string;
}

/** How the changes of one action are taken back. */
export interface Reversal {
  /** The role that the change needed. */
  role: MemberRole;
  /** Why it cannot be taken back, as far as the record alone tells; null where nothing speaks against it. */
  obstacle?(record: UndoneRecord, now: Millis): string | null;
  /** What brings back the state of `record.before`. @throws ApiError conflict */
  plan(context: Context, record: UndoneRecord, revision: number): Promise<ReversalPlan>;
}

/** What `withoutTokens` leaves of a credential. */
const KEPT = /(?:sl[ckrt]_[\w-]{8}|eyJ.{5})…/;

/** A row of the audit log as its reversal reads it. */
export function toUndoneRecord({ seq, at, action, target, before, after }: AuditRow): UndoneRecord {
  return { seq, at, action, target, before: jsonIn(before), after: jsonIn(after) };
}

/** Why a change cannot be taken back, as far as its record tells; null where nothing speaks against it. */
export function obstacleOf({ obstacle }: Reversal, record: UndoneRecord, now: Millis): string | null {
  if (KEPT.test(JSON.stringify(record.before))) return 'What was there looks like a credential and is not kept.';
  return obstacle?.(record, now) ?? null;
}

/** Refuses an undo. @param why in a sentence */
export function refuse(why: string): never {
  throw new ApiError('conflict', why);
}

/** Refuses where something is not as the change has left it, although no audit record says so. */
export function refuseUnless(asLeft: boolean): void {
  if (!asLeft) refuse('What it changed is not as this change left it any more.');
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
