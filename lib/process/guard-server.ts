import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { findProtection } from '@/lib/enforcement/admission';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { isEnvoyPath } from '@/lib/enforcement/decision-api/decision-paths';
import { ApiError, createUpstreamDown, createUpstreamInvalid } from '@/lib/http/api-error';
import { BodyBudget } from '@/lib/http/body-budget';
import { createTooLarge, getMaxBodyBytes, MAX_PROXIED_BYTES, METHODS_WITHOUT_BODY } from '@/lib/http/body-limits';
import { closeLate } from '@/lib/http/close-late';
import { type Answer, buildErrorAnswer, type ErrorFields } from '@/lib/http/error-answer';
import { HOP_BY_HOP, parseConnectionOptions } from '@/lib/http/header-fields';
import { setIdentityHeaders } from '@/lib/http/identity-headers';
import { findFault, type ReceivedRequest } from '@/lib/http/request-fault';
import type { Millis } from '@/lib/units';

const REQUEST_STARTED = 'http.server.request.start';
/** Header that Next adds to an answer of the upstream. It has the upstream's address. */
const REWRITE = 'x-middleware-rewrite';
const MIB = 1024 * 1024;

/** Bounds of a server that Next has created. */
interface ServerBounds extends Pick<Server, 'headersTimeout' | 'requestTimeout'> {
  hasUpstream: boolean;
  /** Longest time from the end of a request until the answer of the upstream begins. */
  longestUpstreamWait: Millis;
  /** Nonce of this process, for the header with the address of the socket. */
  peerNonce: string;
  /** Returns the name under which the bodies of a request's sender are limited. */
  callerOf: (headers: IncomingHttpHeaders) => string;
  /** Adds the fields with which scripts of other origins may read an answer about the upstream. */
  addCorsFields: (answer: Answer, headers: IncomingHttpHeaders) => Answer;
  /** Bytes of bodies that may arrive at the same time. By default 64 MiB, and 40 MiB from one caller. */
  bodies?: BodyBudget;
}

/**
 * Bounds the HTTP server of this process: its time limits in milliseconds, and the bodies that arrive. Validates
 * requests, and passes on the address of the socket, as `server.mjs` does. Without `server.mjs` the server belongs to
 * Next, which gives no access to it and reads a body before Sluice sees the request. So this begins with the first
 * request. Node.js answers slow requests with 408.
 */
export function guardServer({
  headersTimeout,
  requestTimeout,
  hasUpstream,
  longestUpstreamWait,
  peerNonce,
  callerOf,
  addCorsFields,
  bodies = new BodyBudget(64 * MIB, 40 * MIB),
}: ServerBounds): void {
  const apply = (message: unknown) => {
    unsubscribe(REQUEST_STARTED, apply);
    const { server } = message as { server: Server };
    Object.assign(server, { headersTimeout, requestTimeout });
    // Next never answers an offer to upgrade. Without a listener, Node ignores the offer (RFC 9110 section 7.8).
    server.removeAllListeners('upgrade');
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request').on('request', (request, response) => {
      // Next alone adds more listeners to a forwarded answer than Node.js expects.
      response.setMaxListeners(20);
      response.setHeader('X-Request-Id', setIdentityHeaders(request, peerNonce));
      const path = parsePath(request.url ?? '/');
      const isForUpstream = findProtection(path, hasUpstream) === 'upstream';
      const addFields = isForUpstream ? (answer: Answer) => addCorsFields(answer, request.headers) : keep;
      const fault = findFault(request as ReceivedRequest, isForUpstream || isEnvoyPath(path));
      if (fault !== null) return refuse(request, response, fault, addFields);
      const limit = isForUpstream ? MAX_PROXIED_BYTES : findBodyLimit(request);
      const bytes = limit === null ? 0 : countBodyBytes(request, limit);
      if (limit !== null && bytes > limit) return refuse(request, response, createTooLarge(limit), addFields);
      if (bytes > 0) {
        const caller = callerOf(request.headers);
        if (!bodies.take(caller, bytes)) return refuse(request, response, createBusy(), addFields);
        response.once('close', () => bodies.release(caller, bytes));
      }
      if (isForUpstream) boundWait(request, response, longestUpstreamWait, addFields);
      for (const listener of listeners) listener.call(server, request, response);
    });
  };
  subscribe(REQUEST_STARTED, apply);
}

/** Returns the limit of a body for our own routes, in bytes. Null if it is never read. */
function findBodyLimit({ method = 'GET', url = '/' }: IncomingMessage): number | null {
  return METHODS_WITHOUT_BODY.has(method) ? null : getMaxBodyBytes(parsePath(url));
}

/**
 * Bounds a request to the upstream. Answers if the upstream is down, or if its answer does not begin in time: Next
 * answers 500 for the first, and only limits how long the upstream is silent. The head of an answer is sent when it
 * arrives: Next keeps it until the body begins, which for a stream may be minutes later. It is sent without the fields
 * that concern the connection of the upstream. A 101 is refused, because the client has not asked for it.
 */
function boundWait(
  request: IncomingMessage,
  response: ServerResponse,
  longest: Millis,
  addFields: (answer: Answer) => Answer,
): void {
  // For HTTP/2 Next opens a connection to the upstream for each request. If the upstream closes a kept connection just
  // as it is used again, Next answers 500. A server that ignores a body would read it as the next request.
  request.httpVersionMajor = 2;
  const hasBegun = () => response.headersSent || response.destroyed;
  let isPiped = false;
  const { writeHead, end } = response;
  let own: string | undefined;
  response.writeHead = ((...parts: Parameters<typeof writeHead>) => {
    response.writeHead = writeHead;
    if (isPiped || response.statusCode !== 500 || !response.hasHeader(REWRITE)) return writeHead.apply(response, parts);
    const { status, headers, body } = prepareRefusal(request, response, createUpstreamDown(), addFields);
    own = body;
    return writeHead.call(response, status, headers);
  }) as typeof writeHead;
  // Next compresses answers, so it writes the head before it ends the body.
  response.end = ((...parts: Parameters<typeof end>) =>
    own === undefined ? end.apply(response, parts) : end.call(response, own, 'utf8')) as typeof end;
  response.once('pipe', (answer: Readable) => {
    isPiped = true;
    const named = parseConnectionOptions(String(response.getHeader('connection') ?? ''));
    // Node.js adds no `Connection` of its own after one was removed, even if there was none.
    for (const name of [REWRITE, ...HOP_BY_HOP, ...named]) if (response.hasHeader(name)) response.removeHeader(name);
    if (response.statusCode >= 200) return void setImmediate(() => hasBegun() || response.flushHeaders());
    answer.unpipe(response);
    refuse(request, response, createUpstreamInvalid(), addFields);
  });
  request.once('end', () => {
    const late = setTimeout(() => hasBegun() || refuse(request, response, createUpstreamDown(), addFields), longest);
    response.once('close', () => clearTimeout(late));
  });
}

/** Returns the declared length of a body. One without a length may have all bytes of the limit. */
function countBodyBytes({ headers }: IncomingMessage, limit: number): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit;
}

const createBusy = () =>
  new ApiError('service_unavailable', 'Too many bodies are on their way.', { headers: { 'Retry-After': '2' } });

/** Answers with an error, and ends the connection, because the rest of the body is not read. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: ErrorFields,
  addFields: (answer: Answer) => Answer,
): void {
  const { status, headers, body } = prepareRefusal(request, response, error, addFields);
  response.writeHead(status, headers);
  response.end(body);
}

const keep = (answer: Answer) => answer;

function prepareRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  error: ErrorFields,
  addFields: (answer: Answer) => Answer,
) {
  const { accept, 'x-request-id': requestId } = request.headers;
  const { status, headers, body } = addFields(buildErrorAnswer(error, accept, String(requestId)));
  for (const name of ['Transfer-Encoding', REWRITE]) response.removeHeader(name);
  closeLate(request);
  const text = body ?? '';
  const framing = { 'Content-Length': Buffer.byteLength(text), Connection: 'close' };
  return { status, headers: { ...headers, ...framing }, body: text };
}
