import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { LineGate, type LogLevel } from '@/lib/logging/line-gate';
import { createSecretHider, type Hide, redact, redactCredentials, serializeError } from '@/lib/logging/redact';

interface LoggerOptions {
  level: LevelWithSilent;
  /** Values that never appear in a line, in any encoding. */
  secrets?: readonly string[];
  /** Counts the lines and limits those of each message. At `debug` all lines are written. */
  lines?: LineGate;
  /** Destination of the lines. The standard output by default. */
  destination?: DestinationStream;
}

/**
 * Creates the process's logger. It writes one JSON object per line, so that no text can start a new line. It removes
 * secrets at any depth. It writes on this thread, because a bundle would lose pino's transports.
 */
export function makeLogger({ level, secrets = [], lines = new LineGate(), destination }: LoggerOptions): Logger {
  const hideOwn = createSecretHider(secrets);
  const hide: Hide = (text) => redactCredentials(hideOwn(text));
  const isVerbose = level === 'debug' || level === 'trace';
  const serializeFault = (value: unknown) => serializeError(value, hide);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      errorKey: 'err',
      formatters: { level: (level) => ({ level }), log: (object) => redact(object, hide) },
      serializers: { err: serializeFault, error: serializeFault, cause: serializeFault },
      hooks: {
        logMethod(args, method, number) {
          const at = nameLevel(number);
          const message = args.find((argument: unknown) => typeof argument === 'string') ?? '';
          if (!isVerbose && !SUMMED_UP.has(message) && !lines.admitLine(at, message)) return;
          lines.written[at] += 1;
          const plain = args.map((argument: unknown) => (typeof argument === 'string' ? hide(argument) : argument));
          Reflect.apply(method, this, plain);
        },
      },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
  lines.report = (at, line, count) => logger[at]({ line, count }, 'lines summed up');
  // pino's formatter of bindings skips the bindings of child loggers.
  logger.child = new Proxy(logger.child, {
    apply: (child, self, [bindings, ...rest]: unknown[]) =>
      Reflect.apply(child, self, [redact(bindings, hide), ...rest]),
  });
  return logger;
}

/** Messages that their source limits (`RequestLog`), and the summary itself. */
const SUMMED_UP = new Set(['request', 'requests summed up', 'lines summed up']);

/** @param number level in pino's numbers: 30 is info, 40 warn, 50 error */
function nameLevel(number: number): LogLevel {
  if (number >= 50) return 'error';
  if (number >= 40) return 'warn';
  return number >= 30 ? 'info' : 'debug';
}
