import type { CheckAnswer } from '@/client/check-answer';

/** Builds the headers of an answer, as Sluice sends them. */
export function buildHeaders({ status, limit, remaining, reset, quota }: CheckAnswer): Record<string, string> {
  const headers: Record<string, string> = {};
  if (status === 'unreachable') headers['X-RateLimit-Status'] = 'degraded';
  else if (status !== undefined && status !== 'remembered') headers['X-RateLimit-Status'] = status;
  if (limit !== null) {
    headers['X-RateLimit-Limit'] = String(limit);
    headers['X-RateLimit-Remaining'] = String(remaining);
    headers['X-RateLimit-Reset'] = String(reset);
  }
  if (quota === undefined) return headers;
  return {
    ...headers,
    'X-Quota-Limit': String(quota.limit),
    'X-Quota-Remaining': String(quota.remaining),
    'X-Quota-Reset': String(quota.reset),
  };
}

/** Returns the HTTP status of a refusal. */
export function chooseStatus({ error }: CheckAnswer): number {
  switch (error) {
    case 'invalid_request':
    case 'payload_too_large':
      return 400;
    case 'invalid_api_key':
      return 401;
    case 'service_unavailable':
      return 503;
    default:
      return 429;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Builds the refusal body as Sluice does. It has the members of RFC 9457 if the caller's `Accept` names them. */
export function buildBody(answer: CheckAnswer, status: number, problem: boolean): unknown {
  const { error, error_description, details, limit_name } = answer;
  const body = {
    error,
    error_description,
    ...(details === undefined || details.length === 0 ? {} : { details }),
    ...(limit_name === undefined ? {} : { limit_name }),
  };
  if (!problem) return body;
  return { ...body, type: `urn:sluice:error:${error}`, title: TITLES[status], status, detail: error_description };
}
