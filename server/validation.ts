// Refuses bad requests with the documented body, in such a way that a client that is still sending can read the answer.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { closeLate, endSoon } from '@/lib/http/close-late';
import { type Answer, buildErrorAnswer, type ErrorFields } from '@/lib/http/error-answer';
import { acceptRequestId } from '@/lib/http/header-fields';
import { buildBadRequest, buildFault, type ReceivedRequest } from '@/lib/http/request-fault';

export type NodeRequest = ReceivedRequest;
export type NodeResponse = ServerResponse<NodeRequest>;

export const BROKEN = buildFault(500, 'internal_error', 'Something went wrong on our side.');
export const BUSY = buildFault(503, 'service_unavailable', 'Too many bodies are on their way.', { 'Retry-After': '2' });
export const TOO_SLOW = buildFault(408, 'bad_request', 'The request did not arrive in time.');
export const NOT_THERE = buildFault(404, 'not_found', 'Not found.');
export const UPGRADE_WITH_BODY = buildBadRequest('A WebSocket request must not have a body.');
const TOO_LONG_A_HEAD = buildFault(431, 'bad_request', 'The head of the request is larger than 16 KiB.');
const NOT_HTTP = buildBadRequest('The request is not valid HTTP.');

/** Connections whose end was announced to the client. Nothing more is read from them. */
const closing = new WeakSet<Duplex>();

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
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
