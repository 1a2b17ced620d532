import type { ExitCode } from '@/cli/failure';
import type { Row } from '@/cli/output/rows';

/** What a field names, when it is not only an id that people type. */
export type Reference = 'key' | 'token' | 'member';

/** How an operation looks as a command, where what the manifest says is not kind enough. */
export interface Form {
  /** Fields of query and body that are arguments, after those of the path. */
  arguments?: readonly string[];
  /** `type` is guessed from `identifier`; --user and the like say it. The types are those of the schema. */
  guessesType?: true;
  /** Fields that are found by name. */
  references?: Readonly<Record<string, Reference>>;
  /** Whether a reference must be a whole name or id, because what is done hits others at once. */
  exactly?: true;
  /** Whether a reference may name a revoked key. */
  evenRevoked?: true;
  /** What is said when it is done, before what it was done to: `Revoked`. */
  done?: string;
  /** Other words for the last of the command. */
  aliases?: readonly string[];
  /** The operation that answers the same as this one before its change: only the difference is shown. */
  before?: string;
  /** Flags by field, where the field's own name is not the word. */
  flags?: Readonly<Record<string, string>>;
  /** Fields that may hold a secret, though their names do not say so; what is typed of them is shown. */
  secrets?: readonly string[];
  /** Variables of the environment by secret field, where `SLUICE_` and its name is another's. */
  variables?: Readonly<Record<string, string>>;
  /** Variables of the environment by field, where neither option nor data says who asks. */
  fromEnvironment?: Readonly<Record<string, string>>;
  /** Exit code of an answer that is no error; 0 when absent. */
  exitCode?(answer: unknown): ExitCode;
  /** A row as people see it, where it says more in another form. */
  row?(row: Row): Row;
  /** Columns that a narrow terminal does without, the first to go first. */
  drop?: readonly string[];
  /** Fields that nobody types; of a body they come with --data. */
  hidden?: readonly string[];
  /** Of the table, in order. */
  columns?: readonly string[];
  examples?: readonly string[];
  /** Asked before what cannot be undone. */
  question?: string;
  /** Why it is asked, for where nobody can be; that it cannot be undone, when absent. */
  matter?: string;
  /** Whether `audit undo` takes it back; true for most changes. */
  undoable?: false;
  /** Members of the body with which it does not. */
  notUndoableWith?: readonly string[];
}
