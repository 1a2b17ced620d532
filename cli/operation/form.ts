import type { ExitCode } from '@/cli/failure';
import type { Row } from '@/cli/output/rows';

/** Kind of object that a field names, if users may type its name instead of an id. */
export type Reference = 'key' | 'token' | 'member';

/** Option that may be given several times, whose texts together are the value of a field. */
export interface ListOption {
  /** Placeholder, in capitals. */
  value: string;
  /** @param flag for the error @throws Failure */
  parse(texts: readonly string[], flag: string): unknown;
}

/** Overrides for the generated command of an operation. */
export interface Form {
  /** Query and body fields that are arguments, after those of the path. */
  arguments?: readonly string[];
  /** `type` is guessed from `identifier`, unless a switch such as --user sets it. The schema lists the types. */
  guessesType?: true;
  /** Fields that accept a name. */
  references?: Readonly<Record<string, Reference>>;
  /** True if references must be a full name or id, because the operation affects others at once. */
  exactly?: true;
  /** True if references may name a revoked key. */
  evenRevoked?: true;
  /** Verb of the success message, before the object: `Revoked`. */
  done?: string;
  /** Alternatives for the last word of the command. */
  aliases?: readonly string[];
  /** Operation that reads the same resource beforehand, so that only the difference is shown. */
  before?: string;
  /** Flags by field, if they differ from the field's name. */
  flags?: Readonly<Record<string, string>>;
  /** Fields that may contain a secret despite their name. The prompt shows typed text. */
  secrets?: readonly string[];
  /** Environment variables by secret field, if they differ from `SLUICE_` and the name. */
  variables?: Readonly<Record<string, string>>;
  /** Fields with a short form. JSON is accepted, too. */
  lists?: Readonly<Record<string, ListOption>>;
  /** Environment variables by field, used if neither options nor data name the caller. */
  fromEnvironment?: Readonly<Record<string, string>>;
  /** Exit code of a successful answer. The default is 0. */
  exitCode?(answer: unknown): ExitCode;
  /** Transforms a row for display. */
  row?(row: Row): Row;
  /** Columns that a narrow terminal omits, in this order. */
  drop?: readonly string[];
  /** Fields without an option. Body fields can be set with --data. */
  hidden?: readonly string[];
  /** Columns of the table, in order. */
  columns?: readonly string[];
  examples?: readonly string[];
  /** Question before an operation that cannot be undone. */
  question?: string;
  /** Reason for the question, shown if there is no terminal. The default says that it cannot be undone. */
  matter?: string;
  /** False if `audit undo` cannot undo it. Most changes can be undone. */
  undoable?: false;
  /** Body members that make the change impossible to undo. */
  notUndoableWith?: readonly string[];
}
