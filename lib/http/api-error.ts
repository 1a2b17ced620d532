/** A field that violates the schema. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** HTTP status of every public error code. */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_request: 400,
  unauthorized: 401,
  invalid_api_key: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  user_rate_limit_exceeded: 429,
  client_rate_limit_exceeded: 429,
  quota_exceeded: 429,
  internal_error: 500,
  bad_gateway: 502,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * An error answer, thrown by any code below a route handler. `description` is for people and never repeats the input.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** Compares names, because one bundle throws the error and another bundle handles it (`lib/db/errors.ts`). */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ApiError';
  }

  constructor(
    readonly code: ErrorCode,
    readonly description: string,
    options: { details?: readonly ErrorDetail[]; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(description, { cause: options.cause });
    this.status = ERROR_STATUS[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** Creates the error for an upstream whose answer is not valid HTTP. */
export function createUpstreamInvalid(headers: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('bad_gateway', 'The answer of the server behind this gateway is not valid HTTP.', { headers });
}

/** Creates the error for an upstream that cannot be reached, or that does not answer in time. */
export function createUpstreamDown(headers: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('service_unavailable', 'The server behind this gateway is down.', {
    headers: { ...headers, 'Retry-After': '2' },
  });
}

/**
 * Creates the error for a method that a resource does not support.
 * @param allow methods, as in the header `Allow`
 */
export function createMethodNotAllowed(allow: string, subject = 'resource'): ApiError {
  return new ApiError('method_not_allowed', `This ${subject} supports ${allow}.`, { headers: { Allow: allow } });
}
