import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { CounterChange } from '@/lib/counters/store';
import type { Statement } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

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
