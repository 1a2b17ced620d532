import type { LucideIcon } from 'lucide-react';
import type { BatchOperation } from '@/lib/contract/batch';
import type { MemberRole, QuotaTier } from '@/lib/contract/fields/enumerations';

/** What the dialog of a batch asks for, as the API takes it. */
export interface BatchValues {
  reason: string;
  /** The new end; null where none was asked for, or never. */
  end: string | null;
  tier: QuotaTier;
}

export interface BatchCall {
  operation: BatchOperation;
  item: Readonly<Record<string, unknown>>;
}

/** What is said after an action that an undo takes back. */
export const TAKEN_BACK = 'Each can be taken back in the audit log.';

/** Something that is done to each of the selected rows, as the action of a single row would do it. */
export interface BatchedAction<Row> {
  /** `Remove…` */
  label: string;
  icon: LucideIcon;
  needs: MemberRole;
  destructive?: boolean;
  /** `Remove 3 entries?` @param what the rows in words: `3 entries` */
  title: (what: string) => string;
  description: string;
  submitLabel: string;
  /** What somebody might write as the reason. */
  example: string;
  /** What is asked for beside the reason; `expiry` is the end of a credential, or never. */
  asks?: 'tier' | 'end' | 'end or never' | 'expiry';
  /** The toast: `3 entries are removed`. */
  done: (what: string) => string;
  /** What is said below that; `TAKEN_BACK` by default. */
  afterwards?: string;
  /** Whether an undo takes it back; where `afterwards` is absent it does. */
  canUndo?: boolean;
  callOf: (row: Row, values: BatchValues) => BatchCall;
  each?: never;
}

/** Something of one's own, which needs no reason and is in no batch: each is a call of its own. */
interface OwnAction<Row> extends Omit<BatchedAction<Row>, 'callOf' | 'each' | 'example' | 'asks'> {
  afterwards: string;
  each: (row: Row) => Promise<unknown>;
  callOf?: never;
  example?: never;
  asks?: never;
}

export type BatchAction<Row> = BatchedAction<Row> | OwnAction<Row>;

/** That rows of a list can be selected, and what can be done to them. */
export interface Selection<Row> {
  id: (row: Row) => string;
  /** One of them, and several: `key`, `keys`. */
  nouns: readonly [string, string];
  /** What tells a row from the others, in words. */
  name: (row: Row) => string;
  /** As the audit log calls what a change of the row is about. */
  target: (row: Row) => string;
  /** Whether a state document sets it. */
  isManaged?: (row: Row) => boolean;
  canSelect?: (row: Row) => boolean;
  /** First parts of the query keys of what the actions change; everything is read again where there are none. */
  changes?: readonly string[];
  actions: readonly BatchAction<Row>[];
}
