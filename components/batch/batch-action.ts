import type { LucideIcon } from 'lucide-react';
import type { CallAnswer } from '@/components/api/call';
import type { BatchOperation } from '@/lib/contract/batch';
import type { MemberRole, QuotaTier } from '@/lib/contract/fields/enumerations';

/** Values from the dialog of a batch, in the form that the API expects. */
export interface BatchValues {
  reason: string;
  /** The new end. Null if the dialog did not ask for one, or if the end is "never". */
  end: string | null;
  tier: QuotaTier;
}

export interface BatchCall {
  operation: BatchOperation;
  item: Readonly<Record<string, unknown>>;
}

/** Shown after an action that can be undone. */
export const TAKEN_BACK = 'Each can be undone in the audit log.';

/** Action that applies to each selected row, like the action of a single row. */
export interface BatchedAction<Row> {
  /** Example: `Remove…`. */
  label: string;
  icon: LucideIcon;
  needs: MemberRole;
  destructive?: boolean;
  /**
   * Example: `Remove 3 entries?`
   * @param what the rows in words: `3 entries`
   */
  title: (what: string) => string;
  description: string;
  submitLabel: string;
  /** Sample reason, shown as a placeholder. */
  example: string;
  /** Additional field of the dialog, besides the reason. `expiry` is the end of a credential, or never. */
  asks?: 'tier' | 'end' | 'end or never' | 'expiry';
  /** Text of the toast: `3 entries are removed`. */
  done: (what: string) => string;
  /** Second line of the toast. The default is `TAKEN_BACK`. */
  afterwards?: string;
  /** True if an undo reverts it. The default is true if `afterwards` is absent. */
  canUndo?: boolean;
  buildCall: (row: Row, values: BatchValues) => BatchCall;
  each?: never;
}

/** Action that needs no reason and has no batch endpoint, so each row is a separate call. */
interface UnbatchedAction<Row> extends Omit<BatchedAction<Row>, 'buildCall' | 'each' | 'example' | 'asks'> {
  afterwards: string;
  each: (row: Row) => Promise<CallAnswer<unknown>>;
  buildCall?: never;
  example?: never;
  asks?: never;
}

export type BatchAction<Row> = BatchedAction<Row> | UnbatchedAction<Row>;

/** Makes the rows of a list selectable and defines the actions for them. */
export interface Selection<Row> {
  id: (row: Row) => string;
  /** Singular and plural: `key`, `keys`. */
  nouns: readonly [string, string];
  /** Text that distinguishes a row from the others. */
  name: (row: Row) => string;
  /** Target of a change to the row, as the audit log names it. */
  target: (row: Row) => string;
  /** True if a state document manages the row. */
  isManaged?: (row: Row) => boolean;
  canSelect?: (row: Row) => boolean;
  /** First parts of the query keys that the actions invalidate. All queries are refetched if it is absent. */
  changes?: readonly string[];
  actions: readonly BatchAction<Row>[];
}
