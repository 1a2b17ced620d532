import { clientAddress } from '@/lib/http/client-address';
import type { HeaderReader } from '@/lib/http/request-head';
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
    const address = clientAddress(readerOf(headers), config)?.text ?? null;
    logRequest(logger, { requestId, method, path, status, duration, address });
  };
}

function readerOf(headers: AnsweredRequest['headers']): HeaderReader {
  const get = (name: string) => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  return { get, has: (name) => get(name) !== null };
}
