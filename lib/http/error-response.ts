import type { ApiError } from '@/lib/http/api-error';

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** What an answer says of an error: an `ApiError`, or the same under a code of another protocol. */
export type AnsweredError = Pick<ApiError, 'status' | 'description' | 'details' | 'headers'> & { code: string };

const PROBLEM = 'application/problem+json';

/** Whether the caller asked for RFC 9457 problem details. */
export function wantsProblem(accept: string | null): boolean {
  return accept?.toLowerCase().includes(PROBLEM) ?? false;
}

/** What a refusal adds to its problem details (draft-ietf-httpapi-ratelimit-headers-11, section 5.1). */
export interface ProblemExtensions {
  'violated-policies'?: readonly string[];
}

/** An answer before it becomes a `Response` or goes to a socket. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Null where the status has no body. */
  body: string | null;
}

/**
 * The answer of every error: the body `{error, error_description, details?}`, with the members of RFC 9457 beside them
 * when the caller's `Accept` names `application/problem+json`.
 */
export function errorAnswer(
  error: AnsweredError,
  accept: string | null,
  requestId: string,
  extensions: ProblemExtensions = {},
): Answer {
  const problem = wantsProblem(accept);
  const body = {
    error: error.code,
    error_description: error.description,
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.code === 'internal_error' ? { request_id: requestId } : {}),
    ...(problem
      ? {
          type: `urn:sluice:error:${error.code}`,
          title: TITLES[error.status] ?? 'Error',
          status: error.status,
          detail: error.description,
          ...extensions,
        }
      : {}),
  };
  return {
    status: error.status,
    headers: {
      'Content-Type': problem ? PROBLEM : 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...error.headers,
    },
    body: JSON.stringify(body),
  };
}

/** `errorAnswer` as a `Response`. */
export function errorResponse(
  error: AnsweredError,
  accept: string | null,
  requestId: string,
  extensions: ProblemExtensions = {},
): Response {
  const { body, ...init } = errorAnswer(error, accept, requestId, extensions);
  return new Response(body, init);
}
