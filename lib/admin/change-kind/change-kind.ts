import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import type { Reversal } from '@/lib/admin/change-kind/reversal';
import type { AuditAction } from '@/lib/contract/audit-actions';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { Context } from '@/lib/operation/context';

/** What undo and previews need of the changes of one action. */
export type ChangeKind = (Undoable | Final) & {
  /** Whether two changes of the same thing overlap; by default they do. */
  overlaps?(one: UndoneRecord, other: UndoneRecord): boolean;
  /** The action of a second record in the same change. Both records are undone together. */
  second?: AuditAction;
  /**
   * Says whom a planned change would affect, as far as recorded traffic shows it; null if nobody is found. The change can
   * also be the undo of one.
   */
  effect?(context: Context, planned: ForeseenChange): Promise<string | null>;
};

interface Undoable {
  reversal: Reversal;
  thing: Thing;
}

interface Final {
  /** Why it cannot be undone, in a sentence. */
  reversal: string;
  /** Only if the change prevents the undo of an earlier one. */
  thing?: Thing;
}

/** What a change touches of its target. A later change of the same thing prevents an undo. */
type Thing = string | ((record: UndoneRecord) => string);

/** The kinds of change of a resource, by what stands before the dot in their actions. */
export type ChangeKinds<Subject extends string> = Readonly<
  Record<Extract<AuditAction, `${Subject}.${string}`>, ChangeKind>
>;
