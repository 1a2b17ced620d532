// What a request must be before anybody reads it, and how one that is not is answered: with the documented body, and so
// that its sender can read the answer though it is still sending.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { isHost } from '../lib/http/host.mjs';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Most header fields of a request. The server is to keep one more, so that here shows what was left out. */
export const MAX_FIELDS = 200;
/** How long the body of a request to a route of our own may take, in milliseconds. */
export const BODY_WITHIN = 14_000;
/** How long, in milliseconds, and for how many bytes a sender is listened to that has its answer already. */
const LINGER_FOR = 2_000;
const LINGER_BYTES = 32 * 1024 * 1024;

/** Largest body of a route of our own, in bytes (contract, section 2); of a few it is another. */
const LIMIT = 64 * 1024;
const LIMITS = new Map([
  ['/v1/check/batch', 1024 * 1024],
  ['/v1/admin/batch', 1024 * 1024],
  ['/v1/admin/state', 16 * 1024 * 1024],
]);

const fault = (status, error, description, headers) => ({ status, error, description, headers });
const bad = (description) => fault(400, 'bad_request', description);
const allow = { Allow: [...METHODS].join(', ') };

export const BROKEN = fault(500, 'internal_error', 'Something went wrong on our side.');
export const TOO_SLOW = fault(408, 'bad_request', 'The request did not arrive in time.');
export const UNKNOWN_METHOD = fault(405, 'method_not_allowed', 'This method is not known here.', allow);
export const NOT_THERE = fault(404, 'not_found', 'There is nothing here.');
export const UPGRADE_WITH_BODY = bad('A request for a WebSocket has no body.');
const UNMET = fault(417, 'bad_request', 'The only expectation that is met here is 100-continue.');
const TOO_MANY_FIELDS = fault(431, 'bad_request', `The request has more than ${MAX_FIELDS} header fields.`);
const TOO_LONG_A_HEAD = fault(431, 'bad_request', 'The head of the request is larger than 16 KiB.');
const NOT_HTTP = bad('The request is not valid HTTP.');

/** Connections whose end was announced to the client: what else it sends on them is not read. */
const closing = new WeakSet();

/** Whether the end of this connection has been announced. */
export function isClosing(socket) {
  return closing.has(socket);
}

/** What is wrong with the head of a request, whoever it is for; null when nothing is. */
export function faultOf(req) {
  const { method, url, headers, rawHeaders, httpVersion } = req;
  if (!METHODS.has(method)) return UNKNOWN_METHOD;
  if (rawHeaders.length > 2 * MAX_FIELDS) return TOO_MANY_FIELDS;
  if (headers.host === undefined) {
    if (httpVersion !== '1.0') return bad('The Host header is missing.');
  } else if (!isHost(headers.host) || namesTwoHosts(rawHeaders)) return bad('The Host header is not a host.');
  if (!isTarget(url)) return bad('The path is not valid.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return bad('The only transfer coding that is known here is chunked.');
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER) return tooLarge(Number.MAX_SAFE_INTEGER);
  if (headers.expect !== undefined && httpVersion !== '1.0' && headers.expect.toLowerCase() !== '100-continue')
    return UNMET;
  return null;
}

/** What is wrong with the declared length of a body that is for a route of our own; null when nothing is. */
export function lengthFaultOf(req) {
  const limit = limitOf(req.url);
  return Number(req.headers['content-length'] ?? 0) > limit ? tooLarge(limit) : null;
}

/** What is wrong with bytes that the parser could not read, or did not get in time. */
export function parserFault({ code }) {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LONG_A_HEAD;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : NOT_HTTP;
}

/** Whether a request has a body (RFC 9112 section 6.3). */
export function hasBody({ headers }) {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a request wants to become a WebSocket (RFC 6455 section 4.1). */
export function isWebSocket({ method, headers, httpVersion }) {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Waits for the body of a request to a route of our own, so that whoever answers gets it whole and at once; of one that
 * may be larger than 64 KiB, for that much. Nothing of it is lost: it can be read as before.
 * @returns what is wrong with it, null when nothing is, `gone` when its sender went away
 */
export async function awaitBody(req, res) {
  const limit = limitOf(req.url);
  let isHandedOn = false;
  const late = setTimeout(() => {
    if (!isHandedOn) refuse(res, TOO_SLOW);
    else if (res.headersSent || res.socket === null) req.socket.destroy();
    else refuseOn(res.socket, TOO_SLOW);
  }, BODY_WITHIN);
  const { state } = await readAhead(req, LIMIT);
  isHandedOn = state === 'larger' && limit > LIMIT;
  if (!isHandedOn || req.complete) clearTimeout(late);
  else for (const event of ['end', 'close']) req.once(event, () => clearTimeout(late));
  if (state === 'larger' && !isHandedOn) return tooLarge(limit);
  return state === 'gone' ? 'gone' : null;
}

/**
 * Reads a body as far as `limit` bytes and puts it back.
 * @returns `whole` and its bytes, `larger` when it goes on behind the limit, `gone` when it will not come to its end
 */
export function readAhead(req, limit) {
  return new Promise((resolve) => {
    const chunks = [];
    let size = 0;
    const done = (state) => {
      req.off('readable', read);
      req.off('close', left);
      const bytes = Buffer.concat(chunks);
      // Before the stream finds itself empty at its end: what has ended takes nothing back.
      if (size > 0 && state !== 'gone') req.unshift(bytes);
      resolve({ state, bytes });
    };
    const read = () => {
      while (req.readableLength > 0) {
        const chunk = req.read();
        size += chunk.length;
        chunks.push(chunk);
      }
      if (size > limit) done('larger');
      else if (req.complete) done('whole');
    };
    const left = () => done('gone');
    req.once('close', left);
    req.on('readable', read);
  });
}

/** Answers with a fault and ends the connection. */
export function refuse(res, { status, error, description, headers = {} }) {
  if (res.headersSent) return res.destroy();
  const { req } = res;
  const requestId = req.headers['x-request-id'];
  const { type, body } = bodyOf({ status, error, description }, req.headers.accept, requestId);
  closeAfter(res);
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...headers,
  });
  res.end(body);
}

/** Lets an answer be the last one of its connection, also while the request is still on its way. */
export function closeAfter(res) {
  const { req } = res;
  const { socket } = req;
  res.setHeader('Connection', 'close');
  closing.add(socket);
  if (req.complete) return;
  // An end with unread bytes is a reset, which takes the answer from the client before it was read (RFC 9112 section 9.6).
  socket.destroySoon = () => {
    let size = 0;
    req.unpipe();
    req.on('data', (chunk) => {
      size += chunk.length;
      if (size > LINGER_BYTES) socket.destroy();
    });
    req.resume();
    endSoon(socket);
  };
}

/** Answers on a connection that nobody answers on otherwise, and ends it. */
export function refuseOn(socket, { status, error, description, headers = {} }) {
  if (!socket.writable) return;
  const requestId = randomUUID();
  const { type, body } = bodyOf({ status, error, description }, undefined, requestId);
  const fields = Object.entries({
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  closing.add(socket);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n${body}`);
  socket.resume();
  endSoon(socket);
}

function endSoon(socket) {
  socket.end();
  const end = setTimeout(() => socket.destroy(), LINGER_FOR);
  socket.once('close', () => clearTimeout(end));
}

function bodyOf({ status, error, description }, accept, requestId) {
  const problem = (accept ?? '').toLowerCase().includes('application/problem+json');
  const title = status === 413 ? 'Content Too Large' : STATUS_CODES[status];
  const body = JSON.stringify({
    error,
    error_description: description,
    ...(status === 500 ? { request_id: requestId } : {}),
    ...(problem ? { type: `urn:sluice:error:${error}`, title, status, detail: description } : {}),
  });
  return { type: problem ? 'application/problem+json' : 'application/json; charset=utf-8', body };
}

function tooLarge(limit) {
  return fault(413, 'payload_too_large', `The body is larger than ${limit} bytes.`);
}

function limitOf(target) {
  return LIMITS.get(target.split('?', 1)[0]) ?? LIMIT;
}

/** A path and a query (RFC 9112 section 3.2.1) that every reader reads alike: visible ASCII, no fragment, no NUL. */
function isTarget(target) {
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(target)) return false;
  if (!target.includes('%')) return true;
  try {
    return !decodeURIComponent(target.split('?', 1)[0]).includes('\0');
  } catch {
    return false;
  }
}

function namesTwoHosts(rawHeaders) {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
