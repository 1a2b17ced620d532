import { type Hide, redactedText } from '@/lib/logging/redacted-text';

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

/**
 * What of an error may be logged: its name, code, message without query parameters, stack and causes.
 * @param hide takes credentials out of the texts
 */
export function serializeError(error: unknown, hide: Hide = redactedText): LoggedError | unknown {
  return error instanceof Error ? logged(error, 0, hide) : error;
}

function logged(error: Error, depth: number, hide: Hide): LoggedError {
  const { code } = error as Error & { code?: unknown };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: hide(error.name),
    message: hide(withoutParameters(error.message)),
    ...(typeof code === 'string' ? { code: hide(code) } : {}),
    ...(frames === undefined || frames.length === 0 ? {} : { stack: hide(frames.join('\n')) }),
    ...(error.cause instanceof Error && depth < DEEPEST ? { cause: logged(error.cause, depth + 1, hide) } : {}),
  };
}

function withoutParameters(message: string): string {
  const at = message.search(PARAMETERS);
  return at < 0 ? message : message.slice(0, at).trimEnd();
}
