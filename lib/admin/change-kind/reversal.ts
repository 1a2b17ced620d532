import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { CounterChange } from '@/lib/counters/store';
import type { Statement } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** The writes of an undo, and the sentence that describes it. */
interface ReversalPlan {
  statements?: Statement[];
  counters?: CounterChange[];
  /** Sentence that describes the restored state. */
  restored: string;
}

/** Undoes the changes of one action. */
export interface Reversal {
  /** The role that the change required. */
  role: MemberRole;
  /** Explains why a change cannot be undone, by its record only. Null if it can. */
  obstacle?(record: UndoneRecord, now: Millis): string | null;
  /** Plans the writes that restore `record.before`. @throws ApiError conflict */
  plan(context: Context, record: UndoneRecord, revision: number): Promise<ReversalPlan>;
}

/** Matches a credential that `redactTokens` has shortened. */
const KEPT = /(?:sl[ckrt]_[\w-]{8}|eyJ.{5})…/;

/** Explains why a change cannot be undone, by its record only. Null if it can. */
export function findObstacle({ obstacle }: Reversal, record: UndoneRecord, now: Millis): string | null {
  if (KEPT.test(JSON.stringify(record.before))) return 'What was there looks like a credential and is not kept.';
  return obstacle?.(record, now) ?? null;
}

/** Refuses an undo. @param why in a sentence */
export function refuse(why: string): never {
  throw new ApiError('conflict', why);
}

/** Refuses an undo if the target was changed without an audit record. @param asLeft whether it is unchanged */
export function refuseUnless(asLeft: boolean): void {
  if (!asLeft) refuse('The target has changed since.');
}
