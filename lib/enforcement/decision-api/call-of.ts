import type { DecisionCall } from '@/lib/enforcement/decision-api/decision-call';
import { ApiError } from '@/lib/http/api-error';
import { readBytes } from '@/lib/http/json-body';

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
