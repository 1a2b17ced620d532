// The way to the upstream: what is decided, and which headers go on, is in the lane that Next compiled and put on
// globalThis; here are only the streams. docs/decisions/0007-the-upstream-over-nodes-own-client.md says why no library.
import { Agent, request as requestHttp, STATUS_CODES } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { closeAfter, hasBody, readAhead } from './door.mjs';

/** How long the upstream may take until its answer begins, in milliseconds. */
const FIRST_BYTE_WITHIN = 60_000;

/** Fields of one connection (RFC 9110 section 7.6.1), which an answer does not take with it. */
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Methods of which every server expects a body. */
const WITH_BODY = ['POST', 'PUT', 'PATCH'];

/** Keeps connections that are silent. What comes unasked could be taken for the answer to somebody's next request. */
const silent = (Base) =>
  class extends Base {
    keepSocketAlive(socket) {
      if (!super.keepSocketAlive(socket)) return false;
      socket.on('data', unasked);
      socket.resume();
      return true;
    }

    reuseSocket(socket, request) {
      socket.off('data', unasked);
      super.reuseSocket(socket, request);
    }
  };

const agents = {
  'http:': new (silent(Agent))({ keepAlive: true }),
  'https:': new (silent(SecureAgent))({ keepAlive: true }),
};

/** Decides a request and passes it on, or answers it. What it throws before the answer has begun is a fault of ours. */
export async function passOn(lane, req, res) {
  const limit = hasBody(req) ? lane.looksInto(req.method, req.url) : 0;
  const ahead = limit > 0 ? await readAhead(req, limit) : null;
  const passage = await lane.decide(callOf(req), ahead?.state === 'whole' ? ahead.bytes : null);
  if (res.destroyed || res.headersSent) return;
  if (passage.kind === 'answer') return send(res, passage.answer);
  return new Promise((resolve) => {
    res.once('close', resolve);
    forward(passage, req, res, true);
  });
}

/** The same for a WebSocket: on a connection of its own, which becomes one only when the upstream says so. */
export async function passOnWebSocket(lane, req, socket, head) {
  const passage = await lane.decide(callOf(req), null);
  if (socket.destroyed) return;
  if (passage.kind === 'answer') return answerOn(socket, passage.answer);
  const refuse = () => answerOn(socket, passage.unreachable);
  const outgoing = open(passage, req, { connection: 'Upgrade', upgrade: 'websocket' }, false);
  outgoing.setTimeout(FIRST_BYTE_WITHIN, () => outgoing.destroy(new Error('The upstream took too long.')));
  outgoing.once('error', refuse);
  outgoing.once('response', (answer) => {
    outgoing.setTimeout(0);
    outgoing.off('error', refuse);
    outgoing.on('error', () => socket.destroy());
    answer.once('error', () => socket.destroy());
    socket.write(
      headText(answer.statusCode, answer.statusMessage, { ...headersOf(answer, passage), connection: 'close' }),
    );
    answer.pipe(socket);
  });
  outgoing.once('upgrade', (answer, other, rest) => {
    outgoing.off('error', refuse);
    other.setTimeout(0);
    other.on('error', () => socket.destroy());
    other.once('close', () => socket.destroy());
    socket.once('close', () => other.destroy());
    const headers = { ...headersOf(answer, passage), connection: 'Upgrade', upgrade: 'websocket' };
    socket.write(headText(101, answer.statusMessage, headers));
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) other.write(head);
    other.pipe(socket).pipe(other);
  });
  socket.once('close', () => outgoing.destroy());
  outgoing.end();
}

function callOf(req) {
  return { method: req.method, target: req.url, headers: req.headers, requestId: req.headers['x-request-id'] };
}

function forward(passage, req, res, mayRepeat) {
  const outgoing = open(passage, req, framing(req), true);
  const giveUp = () => {
    if (res.headersSent) return res.destroy();
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    send(res, passage.unreachable);
  };
  outgoing.setTimeout(FIRST_BYTE_WITHIN, () => outgoing.destroy(new Error('The upstream took too long.')));
  outgoing.on('error', (error) => {
    // A connection that was kept may be closed just as it is used again; what has no body can be sent once more.
    const stale = outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code) && !hasBody(req);
    const repeats = mayRepeat && stale && ['GET', 'HEAD', 'OPTIONS'].includes(req.method);
    mayRepeat = false;
    if (repeats && !res.headersSent && !res.destroyed) return forward(passage, req, res, false);
    giveUp();
  });
  outgoing.once('response', (answer) => {
    outgoing.setTimeout(0);
    mayRepeat = false;
    answer.once('error', () => res.destroy());
    try {
      for (const [name, value] of Object.entries(headersOf(answer, passage))) res.setHeader(name, value);
      if (!req.complete) closeAfter(res);
      res.writeHead(answer.statusCode, answer.statusMessage);
    } catch (error) {
      return outgoing.destroy(error);
    }
    answer.pipe(res);
  });
  // Nobody asked for another protocol.
  outgoing.once('upgrade', (_, socket) => {
    socket.destroy();
    giveUp();
  });
  res.once('close', () => outgoing.destroy());
  if (hasBody(req)) req.pipe(outgoing);
  else outgoing.end();
}

/** How long the body is that goes on: said by us, for every method, in one way. */
function framing(req) {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  const expected = WITH_BODY.includes(req.method);
  if (!hasBody(req)) return expected ? { 'content-length': '0' } : {};
  const framed =
    coding === undefined ? { 'content-length': String(Number(length)) } : { 'transfer-encoding': 'chunked' };
  // A server that overlooks this body reads a request there; it shall be nobody else's.
  return expected ? framed : { ...framed, connection: 'close' };
}

function open(passage, req, own, shared) {
  const { protocol, hostname, port, host } = new URL(passage.origin);
  const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = passage.headers;
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  return request({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: req.method,
    path: req.url,
    headers: { ...headers, host, ...own },
    agent: shared ? agents[protocol] : false,
  });
}

/** Headers of the upstream's answer that are for the client, and the decision's; names in lower case. */
function headersOf(answer, passage) {
  const dropped = new Set(OF_THE_CONNECTION);
  for (const name of (answer.headers.connection ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  dropped.delete('content-length');
  if (answer.statusCode === 204) dropped.add('content-length');
  for (const name of Object.keys(passage.extra)) dropped.add(name.toLowerCase());
  const entries = Object.entries(answer.headersDistinct).filter(([name]) => !dropped.has(name));
  return { ...Object.fromEntries(entries), ...passage.extra };
}

function send(res, { status, headers, body }) {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body !== null) res.setHeader('Content-Length', Buffer.byteLength(body));
  if (!res.req.complete) closeAfter(res);
  res.writeHead(status);
  res.end(res.req.method === 'HEAD' || body === null ? undefined : body);
}

function answerOn(socket, { status, headers, body }) {
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
  socket.end(headText(status, STATUS_CODES[status], { ...headers, ...length, connection: 'close' }) + (body ?? ''));
}

function headText(status, reason, headers) {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${one}\r\n`),
  );
  return `HTTP/1.1 ${status} ${reason || STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
}

function unasked() {
  this.destroy();
}
