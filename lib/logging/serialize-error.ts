import { redactedText } from '@/lib/logging/redacted';

/** An error as a log line holds it. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string;
  /** Where it was thrown, without the message. */
  stack?: string;
  cause?: LoggedError;
}

const DEEPEST = 5;
/** Drizzle writes the parameters of a query into its message: hashes of secrets, e-mail addresses. */
const PARAMETERS = /\bparams:/;

/** What of an error may be logged: its name, code, message without query parameters, stack and causes. */
export function serializeError(error: unknown): LoggedError | unknown {
  return error instanceof Error ? logged(error, 0) : error;
}

function logged(error: Error, depth: number): LoggedError {
  const { code } = error as Error & { code?: unknown };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message: redactedText(withoutParameters(error.message)),
    ...(typeof code === 'string' ? { code } : {}),
    ...(frames === undefined || frames.length === 0 ? {} : { stack: frames.join('\n') }),
    ...(error.cause instanceof Error && depth < DEEPEST ? { cause: logged(error.cause, depth + 1) } : {}),
  };
}

function withoutParameters(message: string): string {
  const at = message.search(PARAMETERS);
  return at < 0 ? message : message.slice(0, at).trimEnd();
}
