// The way to the upstream: what is decided, and which headers go on, is in the lane that Next compiled and put on
// globalThis; here are only the streams.
import { Agent, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';

/** How long the upstream may take until its answer begins, in milliseconds. */
const FIRST_BYTE_WITHIN = 60_000;

/** Headers of one connection (RFC 9110, section 7.6.1). */
const OF_THE_CONNECTION = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) };

/** Decides a request and passes it on, or answers it. What it throws before the answer has begun is a fault of ours. */
export async function passOn(lane, req, res) {
  const known = await readAhead(req, lane.looksInto(req.url));
  const passage = await lane.decide(callOf(req), known);
  if (res.destroyed) return;
  if (passage.kind === 'answer') return send(res, passage.answer);
  return new Promise((resolve) => {
    res.once('close', resolve);
    forward(passage, req, res, known, true);
  });
}

/** The same for a WebSocket. */
export async function passOnWebSocket(lane, req, socket, head) {
  socket.on('error', () => socket.destroy());
  const passage = await lane.decide(callOf(req), null);
  if (passage.kind === 'answer') return socket.end(headText(passage.answer) + (passage.answer.body ?? ''));
  const refuse = () => socket.end(headText(passage.unreachable) + passage.unreachable.body);
  const outgoing = open(passage, req, { connection: 'Upgrade', upgrade: 'websocket' });
  outgoing.once('error', refuse);
  outgoing.once('response', (answer) => {
    const headers = { ...endToEnd(answer.headers), ...passage.extra, connection: 'close' };
    socket.write(headText({ status: answer.statusCode, headers }));
    answer.pipe(socket);
  });
  outgoing.once('upgrade', (answer, other, rest) => {
    outgoing.off('error', refuse);
    other.on('error', () => socket.destroy());
    other.once('close', () => socket.destroy());
    socket.once('close', () => other.destroy());
    const headers = { ...endToEnd(answer.headers), ...passage.extra, connection: 'Upgrade', upgrade: 'websocket' };
    socket.write(headText({ status: 101, headers }));
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

/** The whole body when it is declared and not larger than `limit`; null when it stays in its stream. */
async function readAhead(req, limit) {
  const length = Number(req.headers['content-length'] ?? 0);
  if (length === 0 || length > limit) return null;
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function forward(passage, req, res, known, mayRepeat) {
  const outgoing = open(passage, req, {});
  const giveUp = () => {
    if (res.headersSent) return res.destroy();
    send(res, passage.unreachable);
  };
  outgoing.setTimeout(FIRST_BYTE_WITHIN, () => outgoing.destroy(new Error('The upstream took too long.')));
  outgoing.once('error', (error) => {
    // A connection that was kept may be closed just as it is used again; what has no body can be sent once more.
    const stale =
      outgoing.reusedSocket &&
      error.code === 'ECONNRESET' &&
      !hasBody(req) &&
      ['GET', 'HEAD', 'OPTIONS'].includes(req.method);
    if (stale && mayRepeat && !res.headersSent && !res.destroyed) return forward(passage, req, res, known, false);
    giveUp();
  });
  outgoing.once('response', (answer) => {
    outgoing.setTimeout(0);
    const headers = { ...endToEnd(answer.headersDistinct), ...passage.extra };
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.writeHead(answer.statusCode, answer.statusMessage);
    answer.once('error', () => res.destroy());
    answer.pipe(res);
  });
  res.once('close', () => outgoing.destroy());
  if (known !== null) outgoing.end(known);
  else if (hasBody(req)) req.pipe(outgoing);
  else outgoing.end();
}

function open(passage, req, connection) {
  const { protocol, hostname, port, host } = new URL(passage.origin);
  const headers = { ...endToEnd(passage.headers), host, ...connection };
  if (req.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
  else if (!hasBody(req) && ['POST', 'PUT', 'PATCH'].includes(req.method)) headers['content-length'] = '0';
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  return request({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: req.method,
    path: req.url,
    headers,
    agent: agents[protocol],
  });
}

function hasBody(req) {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** Headers without those of the connection, and without those that `Connection` names; names in lower case. */
function endToEnd(headers) {
  const dropped = new Set(OF_THE_CONNECTION);
  for (const name of String(headers.connection ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(entries.filter(([name]) => !dropped.has(name)));
}

function send(res, { status, headers, body }) {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body !== null) res.setHeader('Content-Length', Buffer.byteLength(body));
  res.writeHead(status);
  res.end(res.req.method === 'HEAD' || body === null ? undefined : body);
}

function headText({ status, headers, body }) {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${one}`),
  );
  if (body) lines.push(`content-length: ${Buffer.byteLength(body)}`, 'connection: close');
  return `HTTP/1.1 ${status} ${status === 101 ? 'Switching Protocols' : 'Answer'}\r\n${lines.join('\r\n')}\r\n\r\n`;
}
