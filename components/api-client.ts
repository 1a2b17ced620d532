import { z } from 'zod';

// The page's policy forbids eval, which zod would otherwise try for speed.
z.config({ jitless: true });

const TIMEOUT_MS = 20_000;

/** A field that the API rejected. `path` is dotted, as in `classes.auth.ip.limit`. */
export interface ApiDetail {
  path: string;
  message: string;
}

const ErrorBody = z.object({
  error: z.string(),
  error_description: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/**
 * A failed call. `status` 0: no response; `error` is then `unreachable` or `timeout`. `unexpected_answer`: the body does
 * not match the schema.
 */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly details: readonly ApiDetail[];
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  readonly requestId: string | null;

  constructor(init: {
    status: number;
    error: string;
    description: string;
    details?: readonly ApiDetail[];
    retryAfter?: number | null;
    requestId?: string | null;
  }) {
    super(init.description);
    this.status = init.status;
    this.error = init.error;
    this.description = init.description;
    this.details = init.details ?? [];
    this.retryAfter = init.retryAfter ?? null;
    this.requestId = init.requestId ?? null;
  }
}

export interface ApiAnswer<T> {
  value: T;
  /** To send back as `If-Match`. */
  etag: string | null;
  /** Path and query of the next page. */
  next: string | null;
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

interface CallOptions<T> {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Query;
  body?: unknown;
  /** Of the response body; without it the body is not read. */
  schema?: z.ZodType<T>;
  ifMatch?: string | null;
  signal?: AbortSignal;
}

const sessionEndListeners = new Set<() => void>();

/** Calls `listener` on every 401. Returns a function that unsubscribes. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEndListeners.add(listener);
  return () => sessionEndListeners.delete(listener);
}

/** Path and query; values that are null, undefined or empty are left out. */
export function withQuery(path: string, query: Query | undefined): string {
  if (!query) return path;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

/**
 * Calls the HTTP API of this origin with the session cookie: the same operations that automation uses.
 * @throws CallError
 */
export async function callApi<T = undefined>(path: string, options: CallOptions<T> = {}): Promise<ApiAnswer<T>> {
  const { method = 'GET', query, body, schema, ifMatch, signal } = options;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (ifMatch) headers.set('if-match', ifMatch);
  let response: Response;
  try {
    response = await fetch(withQuery(path, query), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw timeout.aborted
      ? new CallError({ status: 0, error: 'timeout', description: 'The server did not respond within 20 seconds.' })
      : new CallError({ status: 0, error: 'unreachable', description: 'The server could not be reached.' });
  }
  if (response.status === 401) for (const listener of sessionEndListeners) listener();
  if (!response.ok) throw await readError(response);
  const value = schema ? await readBody(response, schema) : (undefined as T);
  return { value, etag: response.headers.get('etag'), next: nextLink(response.headers.get('link')) };
}

async function readBody<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new CallError({
    status: response.status,
    error: 'unexpected_answer',
    description: 'The server sent a response that this page does not understand. Reload the page.',
    details: parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
    requestId: response.headers.get('x-request-id'),
  });
}

/** The error that an answer carries. */
export async function readError(response: Response): Promise<CallError> {
  const body = ErrorBody.safeParse(await response.json().catch(() => undefined));
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new CallError({
    status: response.status,
    error: body.success ? body.data.error : 'internal_error',
    description: body.success ? body.data.error_description : `The server answered ${response.status}.`,
    details: body.success ? body.data.details : [],
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    requestId: response.headers.get('x-request-id'),
  });
}

/** The target of `rel="next"` (RFC 8288), as path and query of this origin. */
function nextLink(header: string | null): string | null {
  const target = header?.match(/<([^>]*)>\s*;[^,]*rel="?next"?/i)?.[1];
  if (!target) return null;
  const url = new URL(target, 'http://origin.invalid');
  return url.pathname + url.search;
}
