/** What the command ends with; docs/command-line.md promises them to scripts. */
export const EXIT = {
  done: 0,
  /** The server refused; or a limit, in `check`; or a person, who was asked. */
  refused: 1,
  /** The command makes no sense as it was given. */
  usage: 2,
  /** No answer, or none that the server gave. */
  unreachable: 3,
  /** `plan` found changes. */
  changes: 4,
  /** There are findings at or above `--fail-on`. */
  findings: 5,
  /** 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;

/** The code of a failure that is an answer: a person was asked and said no. */
export const DECLINED = 'declined';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface FailureDetails {
  /** By the path of the member that is wrong. */
  details?: readonly { path: string; message: string }[];
  status?: number;
  requestId?: string;
  /** What to do about it; one sentence. */
  hint?: string;
  /** Whether a try whose answer was lost may have made the change. */
  mayBeDone?: true;
}

/** Ends the command: thrown anywhere, written to stderr by `main`, which exits with its code. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /** @param code of the error, as the API has them: `not_found`, `invalid_usage`, `unreachable` */
  constructor(
    readonly exitCode: ExitCode,
    readonly code: string,
    message: string,
    readonly more: FailureDetails = {},
  ) {
    super(message);
  }
}

/** Exit code 2: the command makes no sense as it was given. */
export function wrongUsage(message: string, hint?: string): Failure {
  return new Failure(EXIT.usage, 'invalid_usage', message, hint === undefined ? {} : { hint });
}

/** Exit code 3: the server does not answer. */
export function unreachable(message: string, hint?: string): Failure {
  return new Failure(EXIT.unreachable, 'unreachable', message, hint === undefined ? {} : { hint });
}

/** The same failure of a change that was sent, and whose answer was lost. */
export function mayBeDone({ exitCode, code, message, more }: Failure): Failure {
  const doubt = 'An answer was lost on the way, so the change may have been made.';
  return new Failure(exitCode, code, `${message} ${doubt}`, {
    ...more,
    mayBeDone: true,
    hint: 'See `sluice audit list` before you run it again.',
  });
}
