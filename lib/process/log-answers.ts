import { clientAddress } from '@/lib/http/client-address';
import { logRequest } from '@/lib/logging/logger';
import type { Services } from '@/lib/operation/services';

/** An answered request, from `server.mjs`. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Path and query as they were sent. */
  target: string;
  status: number;
  /** From the request's arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Counts and logs an answered request. Calls of the decision API do not come here: they are counted as decisions, and a
 * log line would cost as much as the decision.
 */
export function logAnswers({ config, logger, metrics }: Services): (request: AnsweredRequest) => void {
  return ({ requestId, method, target, status, duration, headers }) => {
    metrics.responded(method, status);
    if (!logger.isLevelEnabled('info') && status < 500) return;
    const [path = ''] = target.split('?');
    const get = (name: string) => headers[name]?.toString() ?? null;
    const address = clientAddress({ get, has: (name) => get(name) !== null }, config)?.text ?? null;
    logRequest(logger, { requestId, method, path, status, duration, address });
  };
}
