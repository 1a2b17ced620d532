import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import type { Reversal } from '@/lib/admin/change-kind/reversal';
import type { AuditAction } from '@/lib/contract/audit-actions';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { Context } from '@/lib/operation/context';

/** Describes the changes of one action, for undo and previews. */
export type ChangeKind = (Undoable | Final) & {
  /** Says whether two changes of the same thing overlap. They do by default. */
  overlaps?(one: UndoneRecord, other: UndoneRecord): boolean;
  /** Possible actions of a second record in the same change. Both records are undone together. */
  second?: readonly AuditAction[];
  /**
   * Describes the callers that a planned change, or its undo, would affect. Reads recorded traffic.
   * Null if it finds none.
   */
  effect?(context: Context, planned: ForeseenChange): Promise<string | null>;
};

interface Undoable {
  reversal: Reversal;
  thing: Thing;
}

interface Final {
  /** The reason why it cannot be undone, in a sentence. */
  reversal: string;
  /** Needed only if the change prevents the undo of an earlier one. */
  thing?: Thing;
}

/** The part of the target that a change touches. A later change of the same part prevents an undo. */
type Thing = string | ((record: UndoneRecord) => string);

/** The kinds of change of a resource. The subject is the part of the action before the dot. */
export type ChangeKinds<Subject extends string> = Readonly<
  Record<Extract<AuditAction, `${Subject}.${string}`>, ChangeKind>
>;
