import { z } from 'zod';
import { isOutage, reportLoss } from '@/components/api/reach';
import { MANAGED_HEADER } from '@/lib/contract/fields/managed';
import { type AnswerOf, type CallInput, type Contract, fillPath } from '@/lib/contract/operation';
import { DRY_RUN, type Preview, PreviewSchema } from '@/lib/contract/preview';
import { findNextCursor } from '@/lib/http/next-cursor';

const ErrorBody = z.object({
  error: z.string(),
  error_description: z.string(),
  /** Fields that the API rejected. `path` is dotted: `classes.auth.ip.limit`. */
  details: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

type ApiDetails = z.infer<typeof ErrorBody>['details'];

/** `status` 0: no response (`unreachable`, `timeout`). `unexpected_answer`: the body does not match the schema. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly details: ApiDetails;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  readonly requestId: string | null;

  constructor(init: Pick<CallError, 'status' | 'error' | 'description'> & Partial<CallError>) {
    super(init.description);
    this.status = init.status;
    this.error = init.error;
    this.description = init.description;
    this.details = init.details ?? [];
    this.retryAfter = init.retryAfter ?? null;
    this.requestId = init.requestId ?? null;
  }
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

interface CallOptions {
  /** The `etag` that was read. The API refuses the change with 412 if the resource has changed since. */
  readonly ifMatch?: string | null;
  readonly signal?: AbortSignal;
  /** True asks a list for the number of rows on all pages. */
  readonly wantsTotal?: boolean;
  /** Idempotency key. The server applies requests with the same key once. */
  readonly idempotencyKey?: string;
}

/** `CallInput` of any contract. */
interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
}

export interface CallAnswer<T> {
  value: T;
  /** Send it as `ifMatch` with the next change. */
  etag: string | null;
  /** The `cursor` of the next page. Null on the last page. */
  next: string | null;
  /** Rows on all pages of a list. Null unless asked for. */
  total: number | null;
  /** Number of the audit record, used to undo the change. Null if nothing changed. */
  auditSeq: number | null;
  /** True if a state document manages the resource, according to a header. List entries carry their own flag. */
  managed: boolean;
}

const sessionEndListeners = new Set<() => void>();

/** Calls `listener` on every 401. Returns a function that unsubscribes. */
export function watchSessionEnd(listener: () => void): () => void {
  sessionEndListeners.add(listener);
  return () => sessionEndListeners.delete(listener);
}

/** Joins a path and its query. Values that are null, undefined or empty are omitted. */
export function addQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

/**
 * Calls an operation of this origin's API with the session cookie. The contract defines request and response. Throws a
 * `CallError`.
 */
export function call<const C extends Contract>(
  contract: C,
  input: CallInput<C> & CallOptions,
): Promise<CallAnswer<AnswerOf<C>>>;
export function call(contract: Contract, input: AnyInput): Promise<CallAnswer<unknown>> {
  return callAny(contract, input);
}

/** Returns what an operation would change, without changing it. Throws a `CallError`. */
export async function preview(contract: Contract, input: Omit<AnyInput, 'ifMatch'>): Promise<Preview> {
  const previewContract = { ...contract, response: { status: 200, description: '', schema: PreviewSchema } } as const;
  const { value } = await callAny(previewContract, { ...input, query: { ...input.query, [DRY_RUN]: true } });
  return PreviewSchema.parse(value);
}

async function callAny(contract: Contract, input: AnyInput): Promise<CallAnswer<unknown>> {
  const { params, query, body, ifMatch, signal, idempotencyKey, wantsTotal } = input;
  const timeout = AbortSignal.timeout(20_000);
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (ifMatch) headers.set('if-match', ifMatch);
  if (wantsTotal) headers.set('prefer', 'count=exact');
  if (idempotencyKey) headers.set('idempotency-key', idempotencyKey);
  let response: Response;
  try {
    response = await fetch(addQuery(fillPath(contract, params), query), {
      method: contract.method,
      headers,
      body: JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (!timeout.aborted) reportLoss();
    throw timeout.aborted
      ? new CallError({ status: 0, error: 'timeout', description: 'The server did not respond within 20 seconds.' })
      : new CallError({ status: 0, error: 'unreachable', description: 'The server could not be reached.' });
  }
  if (isOutage(response)) reportLoss();
  if (response.status === 401) for (const listener of sessionEndListeners) listener();
  if (!response.ok) throw await readError(response);
  const { schema } = contract.response;
  const value = schema ? await readBody(response, schema) : undefined;
  const seq = response.headers.get('x-audit-seq');
  const auditSeq = seq === null ? null : Number(seq);
  const total = response.headers.get('x-total-count');
  return {
    value,
    etag: response.headers.get('etag'),
    next: findNextCursor(response.headers.get('link')),
    total: total === null ? null : Number(total),
    auditSeq,
    managed: response.headers.has(MANAGED_HEADER),
  };
}

async function readBody(response: Response, schema: z.ZodType): Promise<unknown> {
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

export async function readError(response: Response): Promise<CallError> {
  const body = ErrorBody.safeParse(await response.json().catch(() => undefined)).data;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new CallError({
    status: response.status,
    error: body?.error ?? 'internal_error',
    description: body?.error_description ?? `The server answered ${response.status}.`,
    details: body?.details,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    requestId: response.headers.get('x-request-id'),
  });
}
