import { clientAddress } from '@/lib/http/client-address';
import type { HeaderReader } from '@/lib/http/request-head';
import { logRequest } from '@/lib/logging/log-request';
import type { Services } from '@/lib/operation/services';
import { forgetSingleton, singleton } from '@/lib/process/singleton';
import { metrics } from '@/lib/statistics/metrics';

/** An answered request as `server.mjs` tells it. */
interface Answered {
  requestId: string;
  method: string;
  /** Path and query as they were sent. */
  target: string;
  status: number;
  /** From its arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Lets `server.mjs` tell of every answer, whoever gave it, so that each is counted and has its line in the log. Calls of
 * the decision API are not told of: they are counted as decisions, and a line would cost as much as the decision.
 */
export function watchAnswers(services: Services): void {
  const { config, logger } = services;
  const counted = metrics();
  forgetSingleton('answered');
  singleton<(answered: Answered) => void>(
    'answered',
    () =>
      ({ requestId, method, target, status, duration, headers }) => {
        counted.responded(method, status);
        if (!logger.isLevelEnabled('info') && status < 500) return;
        const [path = ''] = target.split('?');
        logRequest(logger, {
          requestId,
          method,
          path,
          status,
          duration,
          address: clientAddress(reader(headers), config)?.text ?? null,
        });
      },
  );
}

function reader(headers: Answered['headers']): HeaderReader {
  const get = (name: string) => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  return { get, has: (name) => get(name) !== null };
}
