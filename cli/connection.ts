import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, type StreamedAnswer, textOf } from '@/cli/exchange';
import { EXIT, Failure, mayBeDone, unreachable, wrongUsage } from '@/cli/failure';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** What is sent, before it is encoded. */
export interface Call {
  params?: Readonly<Record<string, string>>;
  /** A value that is undefined is not sent. */
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Ends the call from outside. */
  signal?: AbortSignal;
}

export interface ApiReply {
  status: number;
  headers: StreamedAnswer['headers'];
  /** As it was sent; empty without a body. */
  text: string;
  /** Parsed where it is JSON, else the text. */
  body: unknown;
  /** Number of the audit record of the change. */
  auditSeq: string | null;
}

export interface ConnectionOptions {
  /** Without a slash at its end. */
  url: string;
  /** The headers that open the operation; asked for each call. @throws Failure when there is no credential */
  credentials(operation: ManifestOperation): Readonly<Record<string, string>>;
  /** For one call with its retries, in ms; of a stream until it begins. */
  timeoutMs: number;
  userAgent: string;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Told of each retry. @param waitMs until then */
  onRetry?(why: string, waitMs: number): void;
}

const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 200;
const RETRIED = new Set([429, 502, 503, 504]);
/** Causes that are the same at the next try. */
const PERMANENT = /^(ENOTFOUND|ERR_INVALID_URL|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL)/;
/** Causes with which nothing was sent. */
const NOT_SENT = /^(ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/**
 * Calls operations of the server. What only reads, and a change with an `Idempotency-Key`, is sent again when the network
 * fails or the server is away for a moment; `Retry-After` is honoured as long as the time-out lasts. A failure says so
 * where an earlier try may have made the change all the same.
 */
export class Connection {
  constructor(readonly options: ConnectionOptions) {}

  /** The whole answer. @throws Failure `refused` for every status but 2xx, `unreachable` without an answer */
  async request(operation: ManifestOperation, call: Call = {}): Promise<ApiReply> {
    return this.#tryAgain(operation, call, async (response) => {
      const text = await textOf(response.body);
      const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
      const { status, headers } = response;
      return { status, headers, text, body: isJson ? parse(text) : text, auditSeq: headers.get('x-audit-seq') };
    });
  }

  /** The answer while it still comes: a stream of events or lines, a long download. @throws Failure */
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
    const told = (failure: Failure) => (isDoubtful ? mayBeDone(failure) : failure);
    const request = this.#requestOf(operation, call);
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
        if (response.status >= 200 && response.status < 300) return await read(response);
        const failure = await refusalOf(response, request.url);
        // What stands before the server may have lost its answer.
        isDoubtful ||= isChange && RETRIED.has(response.status) && failure.code === 'not_sluice';
        if (isLast || !RETRIED.has(response.status)) throw told(failure);
        const asked = retryAfter(response, this.options.now());
        wait = asked ?? pause;
        why = `the server answered ${response.status}`;
        if (performance.now() + wait >= end) throw told(failure);
      } catch (error) {
        if (error instanceof Failure || call.signal?.aborted === true) throw error;
        const failure = this.#networkFailure(error, timer.signal.aborted);
        isDoubtful ||= isChange && !isPermanent(error) && !NOT_SENT.test(causeOf(error));
        if (isLast || timer.signal.aborted || isPermanent(error) || performance.now() + pause >= end)
          throw told(failure);
        wait = pause;
        why = 'the connection failed';
      } finally {
        clearTimeout(timeout);
      }
      this.options.onRetry?.(why, wait);
      await sleep(wait, undefined, call.signal === undefined ? {} : { signal: call.signal });
    }
  }

  #requestOf(operation: ManifestOperation, { params = {}, query = {}, body, headers = {} }: Call) {
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

  #networkFailure(error: unknown, isLate: boolean): Failure {
    const { url, timeoutMs } = this.options;
    if (isLate) {
      const seconds = Math.round(timeoutMs / 100) / 10;
      return unreachable(`${url} did not answer within ${seconds} s.`, 'Allow more with --timeout.');
    }
    const cause = causeOf(error);
    return unreachable(
      `${url} cannot be reached: ${cause}.`,
      'Check SLUICE_URL or --url, and that the server runs there.',
    );
  }
}

/** The code of Node's error, of several addresses that of the first. */
function causeOf(error: unknown): string {
  const { code, message, errors } = error as { code?: string; message?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? message ?? String(error);
}

function isPermanent(error: unknown): boolean {
  return PERMANENT.test(causeOf(error));
}

/**
 * How long to wait, in ms: the seconds of `Retry-After`, or until its date by the clock of whoever answered (RFC 9110,
 * section 10.2.3). Null without the header, or for one that makes no sense.
 * @param now by this machine's clock, for an answer without a date
 */
function retryAfter({ headers }: StreamedAnswer, now: number): number | null {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const answered = Date.parse(headers.get('date') ?? '');
  const wait = Date.parse(text) - (Number.isNaN(answered) ? now : answered);
  return Number.isNaN(wait) || !text.endsWith(' GMT') ? null : Math.max(0, wait);
}

async function refusalOf(response: StreamedAnswer, url: string): Promise<Failure> {
  const body: unknown = parse(await textOf(response.body).catch(() => ''));
  const { error, error_description, details } = (typeof body === 'object' && body !== null ? body : {}) as {
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The operation of an id. @throws Failure when this build has none */
export function operationNamed(operations: readonly ManifestOperation[], id: string): ManifestOperation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw wrongUsage(`This build of sluice has no operation ${id}.`);
  return found;
}
