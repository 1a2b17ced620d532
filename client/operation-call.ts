/* Loaded with the first operation, so that programs that only check do not load it. */
import type { CallOptions, CallReader, OperationAnswer } from '@/client/call';
import { readDuration } from '@/client/duration';
import { SluiceError } from '@/client/error';
import { request } from '@/client/request';
import {
  createConnectionError,
  createUnexpectedAnswerError,
  parseBody,
  readBody,
  type TransportOptions,
} from '@/client/transport';

/** Operation as the client needs it: method, path with `{parameters}`, and whether it has a body. */
type OperationRow = readonly [method: string, path: string, body: 0 | 1];

/** Operations by command, as JSON, inserted when the client is packed (server/client-package.mjs). */
declare const SLUICE_OPERATIONS: string;

/** Names that are not query parameters. Options are camelCase, parameters snake_case. */
export const CALL_OPTIONS: readonly string[] = [
  'ifMatch',
  'idempotencyKey',
  'apiKey',
  'signal',
  'timeout',
] satisfies (keyof CallOptions)[];

/** A request that can be repeated for the next page. */
interface CallSent {
  method: string;
  /** Path with its parameters filled in. */
  path: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  options: CallOptions;
}

/** Starts the call of an operation by command. @throws TypeError if a path parameter is missing */
export function beginCall(transport: TransportOptions, command: string, args: readonly unknown[]): CallReader {
  const operations: Readonly<Record<string, OperationRow>> = JSON.parse(SLUICE_OPERATIONS);
  const row = operations[command];
  if (row === undefined) throw new TypeError(`There is no operation ${command}.`);
  return createReader(transport, prepareCall(row, args));
}

/** Splits the arguments: path parameters, the body if there is one, then the query with the options. */
export function prepareCall([method, template, hasBody]: OperationRow, args: readonly unknown[]): CallSent {
  const names = template.match(/\{\w+\}/g) ?? [];
  const rest = args.slice(names.length);
  const [body] = hasBody === 1 ? rest.splice(0, 1) : [];
  const all = Object.entries(rest[0] ?? {});
  return {
    method,
    path: names.reduce((filled, name, i) => filled.replace(name, () => encodeSegment(name, args[i])), template),
    query: Object.fromEntries(all.filter(([name]) => !CALL_OPTIONS.includes(name))),
    body,
    options: Object.fromEntries(all.filter(([name]) => CALL_OPTIONS.includes(name))),
  };
}

/** Encodes a path parameter. @throws TypeError if it is empty or would change the path */
function encodeSegment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} must be given.`);
  return encodeURIComponent(text);
}

function createReader(transport: TransportOptions, sent: CallSent): CallReader {
  const response = respond(transport, sent);
  let answered: Promise<OperationAnswer<unknown>> | null = null;
  const answer = () => {
    answered ??= response.then((received) => read(received, sent.query.format !== undefined));
    return answered;
  };
  async function* entries(): AsyncGenerator<unknown, void, undefined> {
    const received = await response;
    if (isLines(received) && answered === null) return yield* parseLines(received);
    const { value, next } = await answer();
    if (Array.isArray(value)) yield* value;
    if (next !== null) yield* createReader(transport, { ...sent, query: { ...sent.query, cursor: next } }).entries();
  }
  return { answer, entries };
}

/** A stream that has begun is aborted only by its signal. */
async function respond(transport: TransportOptions, sent: CallSent): Promise<Response> {
  const { method, path, query, body, options } = sent;
  const { ifMatch, idempotencyKey, apiKey, signal } = options;
  const timeout = readDuration('timeout', options.timeout ?? 20_000);
  const late = new AbortController();
  const error = new SluiceError('timeout', `The server did not answer within ${timeout} ms.`);
  const timer = setTimeout(() => late.abort(error), timeout);
  const headers: Record<string, string> = {};
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  if (apiKey !== undefined) headers['x-api-key'] = apiKey;
  try {
    const response = await request(apiKey === undefined ? transport : { ...transport, token: '' }, {
      method,
      path: addQuery(path, query),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    });
    if (isLines(response) || response.body === null) return response;
    const { status, headers: received } = response;
    const whole = await readBody(response).catch((cause: unknown) => {
      throw createConnectionError(cause, signal);
    });
    return new Response(whole, { status, headers: received });
  } catch (fault) {
    throw late.signal.aborted && signal?.aborted !== true ? error : fault;
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the query. Null and undefined are omitted; several values of a parameter are joined by commas. */
function addQuery(path: string, query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

const isLines = ({ headers }: Response) => /^application\/(x-ndjson|jsonl)/.test(headers.get('content-type') ?? '');

/** @param mayBePage whether the caller has asked for a format */
async function read(response: Response, mayBePage: boolean): Promise<OperationAnswer<unknown>> {
  const { status, headers } = response;
  const seq = headers.get('x-audit-seq');
  return {
    value: await readContent(response, mayBePage),
    status,
    etag: headers.get('etag'),
    next: findNextCursor(headers.get('link')),
    auditSeq: seq === null ? null : Number(seq),
    requestId: headers.get('x-request-id'),
  };
}

/** @throws SluiceError for an unexpected page: a proxy in front of the server has answered */
async function readContent(response: Response, mayBePage: boolean): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (isLines(response)) return collectValues(parseLines(response));
  const type = response.headers.get('content-type') ?? '';
  if (/[/+]json/.test(type)) return parseBody(response, await response.text());
  if (!mayBePage && /^(?:text\/html|$)/i.test(type))
    throw createUnexpectedAnswerError(response, 'The server did not answer in JSON.');
  return response.text();
}

async function collectValues(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Extracts the `cursor` from the target of `rel="next"` (RFC 8288). */
function findNextCursor(link: string | null): string | null {
  const target = link?.match(/<([^>]*)>\s*;[^,]*rel="?next"?/i)?.[1];
  return target === undefined ? null : new URL(target, 'http://sluice.invalid').searchParams.get('cursor');
}

/** Parses a body with one JSON value per line, as the lines arrive. */
async function* parseLines({ body }: Response): AsyncGenerator<unknown, void, undefined> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      const lines = `${rest}${value}`.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
      if (done) return;
    }
  } finally {
    // The caller may stop before the end, and a line may be no JSON.
    await reader.cancel().catch(() => undefined);
  }
}
