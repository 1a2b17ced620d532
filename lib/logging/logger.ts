import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '@/lib/config';
import { ownSecretHider, type SecretConfig } from '@/lib/logging/own-secrets';
import { redacted } from '@/lib/logging/redacted';
import { type Hide, redactedText } from '@/lib/logging/redacted-text';
import { serializeError } from '@/lib/logging/serialize-error';

/**
 * The process's logger: one JSON object a line on the standard output (so that no text can start a line of its own),
 * without secrets at any depth, written by this thread (no transport that a bundle would lose).
 * @param destination for tests; the standard output when it is absent
 */
export function makeLogger(
  config: Pick<Config, 'SLUICE_LOG_LEVEL'> & SecretConfig,
  destination?: DestinationStream,
): Logger {
  const hideOwn = ownSecretHider(config);
  const hide: Hide = (text) => redactedText(hideOwn(text));
  const serializer = (value: unknown) => serializeError(value, hide);
  const logger = pino(
    {
      level: config.SLUICE_LOG_LEVEL,
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
          const plain = [first, ...rest].map((one: unknown) => (typeof one === 'string' ? hide(one) : one));
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
