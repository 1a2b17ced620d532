// Validates every request before anything else reads it. A bad request is refused with the documented body, in such a
// way that a client that is still sending can read the answer.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { createTooLarge } from '@/lib/http/body-limits';
import { closeLate, endSoon } from '@/lib/http/close-late';
import { type Answer, buildErrorAnswer, type ErrorFields } from '@/lib/http/error-answer';
import { acceptRequestId, isHost } from '@/lib/http/header-fields';
import { FORWARDED_METHODS } from '@/lib/http/request-methods';

/** A request that the server has received: it has a method and a target. */
export type NodeRequest = IncomingMessage & { method: string; url: string };
export type NodeResponse = ServerResponse<NodeRequest>;

/** Methods of our own routes. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const FORWARDED: ReadonlySet<string> = new Set(FORWARDED_METHODS);
/** Maximum number of header fields in a request. The server keeps one more, so that it detects longer heads. */
export const MAX_FIELDS = 200;
const buildFault = (
  status: number,
  code: string,
  description: string,
  headers?: Record<string, string>,
): ErrorFields => ({
  ...{ status, code, description },
  ...(headers === undefined ? {} : { headers }),
});
const buildBadRequest = (description: string) => buildFault(400, 'bad_request', description);

export const BROKEN = buildFault(500, 'internal_error', 'Something went wrong on our side.');
export const BUSY = buildFault(503, 'service_unavailable', 'Too many bodies are on their way.', { 'Retry-After': '2' });
export const TOO_SLOW = buildFault(408, 'bad_request', 'The request did not arrive in time.');
export const UNKNOWN_METHOD = buildFault(405, 'method_not_allowed', 'Unknown method.', {
  Allow: [...METHODS].join(', '),
});
export const NOT_THERE = buildFault(404, 'not_found', 'Not found.');
export const UPGRADE_WITH_BODY = buildBadRequest('A WebSocket request must not have a body.');
const UNMET = buildFault(417, 'bad_request', 'Only the expectation 100-continue is supported.');
const TOO_MANY_FIELDS = buildFault(431, 'bad_request', `The request has more than ${MAX_FIELDS} header fields.`);
const TOO_LONG_A_HEAD = buildFault(431, 'bad_request', 'The head of the request is larger than 16 KiB.');
const NOT_HTTP = buildBadRequest('The request is not valid HTTP.');

/** Connections whose end was announced to the client. Nothing more is read from them. */
const closing = new WeakSet<Duplex>();

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * Returns the fault of a request's head, or null.
 * @param isForwarded whether the request is for the upstream, which may have more methods and other paths
 */
export function findFault(
  { method, url, headers, rawHeaders, httpVersion }: NodeRequest,
  isForwarded: boolean,
): ErrorFields | null {
  if (!(isForwarded ? FORWARDED : METHODS).has(method)) return UNKNOWN_METHOD;
  if (rawHeaders.length > 2 * MAX_FIELDS) return TOO_MANY_FIELDS;
  if (headers.host === undefined) {
    if (httpVersion !== '1.0') return buildBadRequest('The Host header is missing.');
  } else if (!isHost(headers.host) || hasTwoHosts(rawHeaders)) return buildBadRequest('The Host header is not a host.');
  if (!isTarget(url, isForwarded)) return buildBadRequest('The path is not valid.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return buildBadRequest('Only the transfer coding chunked is supported.');
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER) return createTooLarge(Number.MAX_SAFE_INTEGER);
  if (headers.expect !== undefined && httpVersion !== '1.0' && headers.expect.toLowerCase() !== '100-continue')
    return UNMET;
  return null;
}

/** Returns the fault for bytes that the parser could not read, or that came too late. */
export function chooseParserFault({ code }: Error & { code?: string }): ErrorFields {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LONG_A_HEAD;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : NOT_HTTP;
}

/** Returns the absolute address of a request. */
export const buildUrl = ({ headers, url }: NodeRequest) => `http://${headers.host ?? 'localhost'}${url}`;

/** Returns whether a request has a body (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns whether a request asks for a WebSocket (RFC 6455 section 4.1). */
export function isWebSocket({ method, headers, httpVersion }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Answers with a fault and ends the connection. */
export function refuse(res: NodeResponse, error: ErrorFields): void {
  if (res.headersSent) return void res.destroy();
  const { accept, 'x-request-id': requestId } = res.req.headers;
  closeAfter(res);
  send(res, buildErrorAnswer(error, accept, String(requestId)));
}

/** Sends an answer. It is the last one of its connection if the request is still arriving. */
export function send(res: NodeResponse, { status, headers, body }: Answer): void {
  if (!res.req.complete) closeAfter(res);
  if (body !== null) headers['Content-Length'] = String(Buffer.byteLength(body));
  res.writeHead(status, headers);
  res.end(body);
}

/** Makes an answer the last one of its connection, even while its request is still arriving. */
export function closeAfter(res: NodeResponse): void {
  const { req } = res;
  res.setHeader('Connection', 'close');
  closing.add(req.socket);
  closeLate(req);
}

/** Answers with a fault on a connection that has no `ServerResponse`, and ends it. */
export function refuseConnection(socket: Duplex, error: ErrorFields): void {
  if (!socket.writable) return;
  closing.add(socket);
  socket.write(formatAnswer(buildErrorAnswer(error, undefined, acceptRequestId(undefined))));
  socket.resume();
  endSoon(socket);
}

/** Formats the last answer of a connection without a `ServerResponse`. */
export function formatAnswer({ status, headers, body }: Answer): string {
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return formatHead(status, undefined, { ...headers, ...length, Connection: 'close' }) + (body ?? '');
}

/** Formats the status line and header fields of an answer without a `ServerResponse`. */
export function formatHead(
  status: number,
  reason: string | undefined,
  headers: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => `${name}: ${value}\r\n`),
  );
  return `HTTP/1.1 ${status} ${reason || STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
}

/**
 * Returns whether a target is a path and a query (RFC 9112 section 3.2.1) that every parser reads alike: visible ASCII,
 * no fragment, no NUL, and no invalid escape in the path. Our own paths must be UTF-8. Those of an upstream need not
 * be.
 */
function isTarget(target: string, isForwarded: boolean): boolean {
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(target)) return false;
  if (!target.includes('%')) return true;
  const path = parsePath(target);
  if (isForwarded) return !/%(?![0-9a-f]{2})|%00/i.test(path);
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}

/** @param rawHeaders names and values, alternating */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index];
    if (field?.length === 4 && field.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
