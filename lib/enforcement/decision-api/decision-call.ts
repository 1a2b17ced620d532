import { ApiError } from '@/lib/http/api-error';
import { readBytes } from '@/lib/http/json-body';
import type { RequestHead } from '@/lib/http/request-head';

/**
 * A call of the decision API, independent of its transport: a route handler of Next, or `server.mjs`, which saves it
 * the `Request` and the `Response`.
 */
export interface DecisionCall extends RequestHead {
  /** Path and query as they were sent. */
  readonly target: string;
  /** Reads the body; null when it is larger than `limit` bytes. May be called once. */
  read(limit: number): Promise<Uint8Array | null>;
}

/** A `Request` as a call of the decision API. */
export function callOf(request: Request): DecisionCall {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: request.url,
    target: `${pathname}${search}`,
    headers: request.headers,
    read: (limit) =>
      readBytes(request, limit).catch((fault: unknown) => {
        if (fault instanceof ApiError && fault.code === 'payload_too_large') return null;
        throw fault;
      }),
  };
}
