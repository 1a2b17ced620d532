/** Exit codes. docs/command-line.md promises them to scripts. */
export const EXIT = {
  done: 0,
  /** The server refused, a limit refused in `check`, or the person answered no. */
  refused: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The server did not answer, or a proxy answered for it. */
  unreachable: 3,
  /** `plan` found changes. */
  changes: 4,
  /** Findings have at least the severity of `--fail-on`. */
  findings: 5,
  /** 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const;

/** Failure code for a question that a person answered with no. */
export const DECLINED = 'declined';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface FailureDetails {
  /** Errors by the path of the member. */
  details?: readonly { path: string; message: string }[];
  status?: number;
  requestId?: string;
  /** Advice on how to fix it, in one sentence. */
  hint?: string;
  /** True if an attempt without an answer may have made the change. */
  mayBeDone?: true;
}

/** Ends the command. `main` writes it to stderr and exits with its code. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /** @param code an error code as in the API: `not_found`, `invalid_usage`, `unreachable` */
  constructor(
    readonly exitCode: ExitCode,
    readonly code: string,
    message: string,
    readonly more: FailureDetails = {},
  ) {
    super(message);
  }
}

/** Exit code 2: the command line is invalid. */
export function createUsageFailure(message: string, hint?: string): Failure {
  return new Failure(EXIT.usage, 'invalid_usage', message, hint === undefined ? {} : { hint });
}

/** Exit code 3: the server does not answer. */
export function createUnreachableFailure(message: string, hint?: string): Failure {
  return new Failure(EXIT.unreachable, 'unreachable', message, hint === undefined ? {} : { hint });
}

/** Marks a failure whose change may have been made, because an answer was lost. */
export function markUncertain({ exitCode, code, message, more }: Failure): Failure {
  const doubt = 'An answer was lost on the way, so the change may have been made.';
  return new Failure(exitCode, code, `${message} ${doubt}`, {
    ...more,
    mayBeDone: true,
    hint: 'See `sluice audit list` before you run it again.',
  });
}
