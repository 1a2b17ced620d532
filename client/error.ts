/** Field that the server rejected. `path` is dotted: `classes.auth.ip.limit`. */
export interface RejectedField {
  path: string;
  message: string;
}

/** Error of an API call. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /**
   * Error code of the server, or one of the client: `unreachable` (no connection, or it broke), `timeout`,
   * `unexpected_answer` (not an API answer), `breaker_open` (not sent, see `breaker`).
   */
  readonly code: string;
  /** Status of the answer. 0 if there was none. */
  readonly status: number;
  readonly details: readonly RejectedField[];
  /** Id of the request in the server's log. Null without an answer. */
  readonly requestId: string | null;
  /** Seconds from `Retry-After`. Null without it. */
  readonly retryAfter: number | null;

  constructor(code: string, message: string, more: Partial<Pick<SluiceError, MoreOfError>> = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.details = more.details ?? [];
    this.requestId = more.requestId ?? null;
    this.retryAfter = more.retryAfter ?? null;
  }
}

type MoreOfError = 'status' | 'details' | 'requestId' | 'retryAfter' | 'cause';

/** An answer before its body. */
export interface Head {
  status: number;
  headers: { get(name: string): string | null };
}

/** Builds the error of an unsuccessful answer. Accepts any body. */
export function buildError({ status, headers }: Head, body: unknown): SluiceError {
  const { error, error_description, details }: Partial<Record<string, unknown>> = Object(body);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const hasCode = typeof error === 'string';
  return new SluiceError(
    hasCode ? error : 'unexpected_answer',
    typeof error_description === 'string' ? error_description : `The server answered ${status}.`,
    {
      status,
      details: Array.isArray(details) ? details.filter(isRejectedField) : [],
      requestId: headers.get('x-request-id'),
      retryAfter: Number.isFinite(seconds) ? seconds : null,
    },
  );
}

function isRejectedField(value: unknown): value is RejectedField {
  return typeof Object(value).path === 'string';
}
