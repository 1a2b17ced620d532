import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, readBodyText, type StreamedAnswer } from '@/cli/exchange';
import { createUnreachableFailure, createUsageFailure, EXIT, Failure, markUncertain } from '@/cli/failure';
import { isJsonObject, parseJson } from '@/lib/json';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Content of a request, before encoding. */
export interface Call {
  params?: Readonly<Record<string, string>>;
  /** Undefined values are omitted. */
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Aborts the call. */
  signal?: AbortSignal;
}

export interface ApiReply {
  status: number;
  headers: StreamedAnswer['headers'];
  /** Body as received. Empty if there is none. */
  text: string;
  /** Parsed body if it is JSON, else its text. */
  body: unknown;
  /** Number of the audit record of the change. */
  auditSeq: string | null;
}

export interface ConnectionOptions {
  /** URL without a trailing slash. */
  url: string;
  /**
   * Returns the authorization headers for the operation. It runs for each call. @throws Failure if there is no
   * credential
   */
  credentials(operation: ManifestOperation): Readonly<Record<string, string>>;
  /** Timeout of one call with its retries, in milliseconds. For a stream, it ends when the stream begins. */
  timeoutMs: number;
  userAgent: string;
  /** Current time, in milliseconds since the Unix epoch. */
  now(): number;
  /** Runs before each retry. @param waitMs delay until the retry */
  onRetry?(why: string, waitMs: number): void;
}

const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 200;
const RETRIED = new Set([429, 502, 503, 504]);
/** Errors that a retry would repeat. */
const PERMANENT = /^(ENOTFOUND|ERR_INVALID_URL|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL)/;
/** Errors that occur before anything is sent. */
const NOT_SENT = /^(ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/**
 * Calls operations of the server. Reads, and changes with an `Idempotency-Key`, are retried after network errors and
 * short outages. `Retry-After` is honoured within the timeout. If an earlier attempt may have made the change, the
 * failure says so.
 */
export class Connection {
  constructor(readonly options: ConnectionOptions) {}

  /** Reads the whole answer. @throws Failure `refused` for any status but 2xx, `unreachable` without an answer */
  async request(operation: ManifestOperation, call: Call = {}): Promise<ApiReply> {
    return this.#tryAgain(operation, call, async (response) => {
      const text = await readBodyText(response.body);
      const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
      const { status, headers } = response;
      const value = isJson ? parseJson(text) : undefined;
      const body = value === undefined ? text : value;
      return { status, headers, text, body, auditSeq: headers.get('x-audit-seq') };
    });
  }

  /** Returns the answer as it arrives: a stream of events or lines, or a long download. @throws Failure */
  stream(operation: ManifestOperation, call: Call = {}): Promise<StreamedAnswer> {
    return this.#tryAgain(operation, call, async (response) => response);
  }

  async #tryAgain<T>(
    operation: ManifestOperation,
    call: Call,
    read: (response: StreamedAnswer) => Promise<T>,
  ): Promise<T> {
    const isRepeatable = operation.idempotent || operation.method === 'GET';
    const isChange = (operation.reason !== undefined || operation.idempotent) && call.query?.dry_run !== 'true';
    let isDoubtful = false;
    const addDoubt = (failure: Failure) => (isDoubtful ? markUncertain(failure) : failure);
    const request = this.#buildRequest(operation, call);
    const end = performance.now() + this.options.timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = !isRepeatable || attempt === MOST_TRIES;
      const pause = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      const timer = new AbortController();
      const timeout = setTimeout(() => timer.abort(), Math.max(0, end - performance.now()));
      let wait: number;
      let why: string;
      try {
        const signal = AbortSignal.any([timer.signal, ...(call.signal === undefined ? [] : [call.signal])]);
        const response = await exchange({ ...request, signal });
        if (isAnswer(response, operation)) return await read(response);
        const failure = await readRefusal(response, request.url);
        // A proxy in front of the server may have lost the server's answer.
        isDoubtful ||= isChange && RETRIED.has(response.status) && failure.code === 'not_sluice';
        if (isLast || !RETRIED.has(response.status)) throw addDoubt(failure);
        const requestedWait = retryAfter(response, this.options.now());
        wait = requestedWait ?? pause;
        why = `the server answered ${response.status}`;
        if (performance.now() + wait >= end) throw addDoubt(failure);
      } catch (error) {
        if (error instanceof Failure || call.signal?.aborted === true) throw error;
        const failure = this.#createNetworkFailure(error, timer.signal.aborted);
        isDoubtful ||= isChange && !isPermanent(error) && !NOT_SENT.test(readCause(error));
        if (isLast || timer.signal.aborted || isPermanent(error) || performance.now() + pause >= end)
          throw addDoubt(failure);
        wait = pause;
        why = 'the connection failed';
      } finally {
        clearTimeout(timeout);
      }
      this.options.onRetry?.(why, wait);
      await sleep(wait, undefined, call.signal === undefined ? {} : { signal: call.signal });
    }
  }

  #buildRequest(operation: ManifestOperation, { params = {}, query = {}, body, headers = {} }: Call) {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const sent = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = new URLSearchParams(sent).toString();
    return {
      url: `${this.options.url}${path}${search === '' ? '' : `?${search}`}`,
      method: operation.method,
      headers: {
        accept: operation.answers[0] ?? 'application/json',
        'user-agent': this.options.userAgent,
        ...this.options.credentials(operation),
        ...(operation.idempotent ? { 'idempotency-key': crypto.randomUUID() } : {}),
        ...(body === undefined ? {} : { 'content-type': operation.mediaType ?? 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }

  #createNetworkFailure(error: unknown, isLate: boolean): Failure {
    const { url, timeoutMs } = this.options;
    if (isLate) {
      const seconds = Math.round(timeoutMs / 100) / 10;
      return createUnreachableFailure(`${url} did not answer within ${seconds} s.`, 'Allow more with --timeout.');
    }
    const cause = readCause(error);
    return createUnreachableFailure(
      `${url} cannot be reached: ${cause}.`,
      'Check SLUICE_URL or --url, and that the server runs there.',
    );
  }
}

/** Returns the code of a Node error. If several addresses failed, it is the code of the first. */
function readCause(error: unknown): string {
  const { code, message, errors } = error as { code?: string; message?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? message ?? String(error);
}

function isPermanent(error: unknown): boolean {
  return PERMANENT.test(readCause(error));
}

/**
 * Returns the wait in milliseconds: the seconds of `Retry-After`, or the time until its date by the answering clock
 * (RFC 9110, section 10.2.3). Null if the header is missing or invalid.
 * @param now time of this machine's clock, for an answer without a `Date`
 */
function retryAfter({ headers }: StreamedAnswer, now: number): number | null {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const answered = Date.parse(headers.get('date') ?? '');
  const wait = Date.parse(text) - (Number.isNaN(answered) ? now : answered);
  return Number.isNaN(wait) || !text.endsWith(' GMT') ? null : Math.max(0, wait);
}

/**
 * Returns whether an answer is a success of the operation. A proxy may answer with its own page, such as a sign-in
 * page.
 */
function isAnswer({ status, headers }: StreamedAnswer, { answers }: ManifestOperation): boolean {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  return status === 204 || (status >= 200 && status < 300 && (/[/+]json$/.test(type) || answers.includes(type)));
}

async function readRefusal(response: StreamedAnswer, url: string): Promise<Failure> {
  const body = parseJson(await readBodyText(response.body).catch(() => ''));
  const { error, error_description, details } = (isJsonObject(body) ? body : {}) as {
    error?: string;
    error_description?: string;
    details?: { path: string; message: string }[];
  };
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const more = { status, ...(requestId === undefined ? {} : { requestId }) };
  const target = headers.get('location');
  if (status >= 300 && status < 400 && target !== null && URL.canParse(target, url)) {
    const message = `The server redirects to ${new URL(target, url).origin}, and a token goes to one server only.`;
    return new Failure(EXIT.unreachable, 'redirected', message, { ...more, hint: 'Set SLUICE_URL or --url to that.' });
  }
  if (typeof error !== 'string') {
    const message = `What answered with ${status} is not Sluice, or something in front of it.`;
    return new Failure(EXIT.unreachable, 'not_sluice', message, { ...more, hint: 'Check SLUICE_URL or --url.' });
  }
  const hint = HINTS[error];
  return new Failure(EXIT.refused, error, error_description ?? error, {
    ...more,
    ...(Array.isArray(details) ? { details } : {}),
    ...(hint === undefined ? {} : { hint }),
  });
}

const HINTS: Readonly<Record<string, string>> = {
  unauthorized: 'The token is unknown, revoked or expired: run `sluice login`, or set SLUICE_TOKEN.',
  forbidden: 'The role of the token does not allow this: ask an owner for another token.',
};

/** Finds an operation by id. @throws Failure if this build has none */
export function requireOperation(operations: readonly ManifestOperation[], id: string): ManifestOperation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw createUsageFailure(`This build of sluice has no operation ${id}.`);
  return found;
}
