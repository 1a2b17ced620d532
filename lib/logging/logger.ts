import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { type Hide, redacted, redactedText, secretHider, serializeError } from '@/lib/logging/redacted';
import { withoutTokens } from '@/lib/logging/without-tokens';

interface LoggerOptions {
  level: LevelWithSilent;
  /** Values that never reach a line, in any encoding. */
  secrets?: readonly string[];
  /** The standard output by default. */
  destination?: DestinationStream;
}

/**
 * The process's logger: one JSON object a line, so that no text can start a line of its own, without secrets at any
 * depth. It writes on this thread: a bundle would lose pino's transports.
 */
export function makeLogger({ level, secrets = [], destination }: LoggerOptions): Logger {
  const hideOwn = secretHider(secrets);
  const hide: Hide = (text) => redactedText(hideOwn(text));
  const serializer = (value: unknown) => serializeError(value, hide);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      errorKey: 'err',
      formatters: { level: (level) => ({ level }), log: (object) => redacted(object, hide) },
      serializers: { err: serializer, error: serializer, cause: serializer },
      hooks: {
        logMethod(args, method) {
          const plain = args.map((argument: unknown) => (typeof argument === 'string' ? hide(argument) : argument));
          Reflect.apply(method, this, plain);
        },
      },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
  // pino's own formatter of bindings does not see those of children.
  logger.child = new Proxy(logger.child, {
    apply: (child, self, [bindings, ...rest]: unknown[]) =>
      Reflect.apply(child, self, [redacted(bindings, hide), ...rest]),
  });
  return logger;
}

/** The log line of an answered request. Nothing in it may be a secret: no query, no header, no body. */
export interface RequestLine {
  requestId: string;
  method: string;
  /** Without query; tokens in it are redacted. */
  path: string;
  status: number;
  /** From the request's arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** The client's address in canonical form. */
  address: string | null;
}

const LONGEST_PATH = 1_024;

/** Logs a request: our own faults (5xx but 503) as errors, everything else as information. */
export function logRequest(logger: Logger, request: RequestLine): void {
  const { path: given, duration: exact, ...rest } = request;
  const path = withoutTokens(given).slice(0, LONGEST_PATH);
  const line = { ...rest, path, duration: Math.round(exact * 100) / 100 };
  if (request.status >= 500 && request.status !== 503) logger.error(line, 'request');
  else logger.info(line, 'request');
}
