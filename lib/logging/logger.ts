import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { redacted } from '@/lib/logging/redacted';
import { type Hide, redactedText } from '@/lib/logging/redacted-text';
import { secretHider } from '@/lib/logging/secret-hider';
import { serializeError } from '@/lib/logging/serialize-error';

export interface LoggerOptions {
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
      formatters: {
        level: (level) => ({ level }),
        log: (object) => redacted(object, hide),
      },
      serializers: { err: serializer, error: serializer, cause: serializer },
      hooks: {
        logMethod(args, method) {
          const [first, ...rest] = args;
          const plain = [first, ...rest].map((argument: unknown) =>
            typeof argument === 'string' ? hide(argument) : argument,
          );
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
