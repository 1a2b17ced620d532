// Proxies requests and WebSockets to the upstream. `bridge.upstream` decides them and chooses the header fields; this
// file connects the streams. docs/decisions/0007-the-upstream-over-nodes-own-client.md says why no library.
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { UpstreamDecision, UpstreamProxy } from '@/lib/enforcement/upstream-proxy';
import { HOP_BY_HOP, parseConnectionOptions } from '@/lib/http/header-fields';
import { SAFE_METHODS } from '@/lib/http/safe-methods';
import type { Millis } from '@/lib/units';
import { readAhead } from '@/server/bodies';
import {
  closeAfter,
  formatAnswer,
  formatHead,
  hasBody,
  type NodeRequest,
  type NodeResponse,
  send,
} from '@/server/validation';

type ProxyDecision = Extract<UpstreamDecision, { kind: 'proxy' }>;

/**
 * Makes an agent keep a connection only while it is silent. Unsolicited bytes could be taken for the answer to the next
 * request.
 */
function closeNoisySockets<A extends Agent>(agent: A): A {
  const { keepSocketAlive, reuseSocket } = agent;
  function destroyNoisy(this: Duplex) {
    this.destroy();
  }
  agent.keepSocketAlive = (socket) => {
    // Node's types declare void, but it returns whether the connection is kept.
    if (!(keepSocketAlive.call(agent, socket) as unknown)) return false;
    socket.on('data', destroyNoisy);
    socket.resume();
    return true;
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', destroyNoisy);
    reuseSocket.call(agent, socket, request);
  };
  return agent;
}

/**
 * Maximum size of the head of an answer, in bytes. `lib/enforcement/upstream-proxy.ts` names the limit to the client.
 */
const MAX_ANSWER_HEAD = 128 * 1024;

const insecure = closeNoisySockets(new Agent({ keepAlive: true }));
const secure = closeNoisySockets(new SecureAgent({ keepAlive: true }));

/**
 * Decides a request, then proxies or answers it. It throws only our own faults, and only before the answer has begun.
 * @param proceed lets a client send its body that waits for permission
 */
export async function proxyRequest(
  upstream: UpstreamProxy,
  req: NodeRequest,
  res: NodeResponse,
  proceed: () => void,
): Promise<void> {
  const limit = hasBody(req) ? upstream.maxInspectedBody(req.method, req.url) : 0;
  if (limit > 0) proceed();
  const ahead = limit > 0 ? await readAhead(req, limit) : null;
  const decision = await upstream.decide(buildProxyCall(req), ahead?.state === 'whole' ? ahead.bytes : null);
  const isOver = res.destroyed || res.headersSent;
  if (decision.kind === 'answer') return isOver ? undefined : send(res, decision.answer);
  if (isOver) return decision.ended();
  if (limit === 0) proceed();
  await new Promise<void>((resolve) => {
    res.once('close', () => {
      decision.ended();
      resolve();
    });
    forward(decision, req, res, true);
  });
}

/**
 * Decides and proxies a WebSocket, on a separate connection.
 * @param head bytes that the client sent after its request
 */
export async function proxyWebSocket(
  upstream: UpstreamProxy,
  req: NodeRequest,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const decision = await upstream.decide(buildProxyCall(req), null);
  if (decision.kind === 'answer') return void (socket.destroyed || socket.end(formatAnswer(decision.answer)));
  if (socket.destroyed) return decision.ended();
  socket.once('close', () => decision.ended());
  const refuse = (fault: unknown) => {
    if (socket.destroyed) return;
    const answer = decision.failed(fault);
    decision.answered(answer.status);
    socket.end(formatAnswer(answer));
  };
  const outgoing = open(decision, req, { connection: 'Upgrade', upgrade: 'websocket' }, false);
  outgoing.once('error', refuse);
  outgoing.once('response', (answer) => {
    if (!isFinal(answer)) return void outgoing.destroy(createStatusError());
    outgoing.setTimeout(0);
    outgoing.off('error', refuse);
    outgoing.on('error', () => socket.destroy());
    answer.once('error', () => socket.destroy());
    decision.answered(answer.statusCode ?? 502, answer.headers);
    const headers = { ...buildHeaders(answer, decision), connection: 'close' };
    socket.write(formatHead(answer.statusCode ?? 502, answer.statusMessage, headers));
    answer.pipe(socket);
  });
  outgoing.once('upgrade', (answer, other, rest) => {
    outgoing.off('error', refuse);
    decision.answered(101);
    other.setTimeout(0);
    other.on('error', () => socket.destroy());
    other.once('close', () => socket.destroy());
    socket.once('close', () => other.destroy());
    const headers = { ...buildHeaders(answer, decision), connection: 'Upgrade', upgrade: 'websocket' };
    socket.write(formatHead(101, answer.statusMessage, headers));
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) other.write(head);
    other.pipe(socket).pipe(other);
  });
  socket.once('close', () => outgoing.destroy());
  outgoing.end();
}

/** True if the status is final (RFC 9110 section 15). Node takes a 101 without an upgrade for an answer. */
function isFinal({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200;
}

/** Builds the error for an answer whose status is not final. Its code is that of Node's parser. */
function createStatusError(): Error {
  return Object.assign(new Error('The upstream sent no final status.'), { code: 'HPE_INVALID_STATUS' });
}

function buildProxyCall({ method, url, headers }: NodeRequest) {
  return { method, target: url, headers, requestId: String(headers['x-request-id']) };
}

function forward(decision: ProxyDecision, req: NodeRequest, res: NodeResponse, mayRepeat: boolean): void {
  const outgoing = open(decision, req, buildFraming(req), true);
  const answerFault = (fault: unknown) => {
    // The client disconnected.
    if (res.destroyed) return;
    const answer = decision.failed(fault);
    if (res.headersSent) return void res.destroy();
    decision.answered(answer.status);
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    send(res, answer);
  };
  let received: IncomingMessage | undefined;
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // Bytes followed a complete answer. Node has closed the connection, but the answer is valid.
    if (received?.complete) return;
    // The upstream may close a kept connection just as it is reused. A request without a body can be repeated.
    const stale = outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') && !hasBody(req);
    const repeats = mayRepeat && stale && SAFE_METHODS.has(req.method);
    mayRepeat = false;
    if (repeats && !res.headersSent && !res.destroyed) return forward(decision, req, res, false);
    answerFault(error);
  });
  outgoing.once('response', (answer) => {
    if (!isFinal(answer)) return void outgoing.destroy(createStatusError());
    outgoing.setTimeout(0);
    mayRepeat = false;
    answer.once('error', () => res.destroy());
    decision.answered(answer.statusCode ?? 502, answer.headers);
    try {
      for (const [name, value] of Object.entries(buildHeaders(answer, decision))) res.setHeader(name, value ?? '');
      if (!req.complete) closeAfter(res);
      res.writeHead(answer.statusCode ?? 502, answer.statusMessage);
    } catch (error) {
      return void outgoing.destroy(error instanceof Error ? error : undefined);
    }
    received = answer;
    answer.pipe(res);
    flushHead(answer, res);
  });
  // The upstream must not switch protocols, because the client has not asked for it.
  outgoing.once('upgrade', (_, socket) => {
    socket.destroy();
    answerFault(undefined);
  });
  res.once('close', () => outgoing.destroy());
  if (hasBody(req)) req.pipe(outgoing);
  else outgoing.end();
}

/** Sends the head of an answer whose body has not begun to arrive: a stream of events may begin minutes later. */
function flushHead(answer: IncomingMessage, res: NodeResponse): void {
  setImmediate(() => answer.readableDidRead || res.writableEnded || res.destroyed || res.flushHeaders());
}

/** Returns the fields that frame the request's body. The proxy sets them for every method. */
function buildFraming(req: NodeRequest): Record<string, string> {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  // Servers expect a body with these methods.
  const expected = ['POST', 'PUT', 'PATCH'].includes(req.method);
  if (!hasBody(req)) return expected ? { 'content-length': '0' } : {};
  const framed: Record<string, string> =
    coding === undefined ? { 'content-length': String(Number(length)) } : { 'transfer-encoding': 'chunked' };
  // A server that ignores this body would read it as a request. So no other client may use that connection.
  return expected ? framed : { ...framed, connection: 'close' };
}

/** @param shared whether the connection may be a kept one */
function open(
  { origin, headers: fields, longestWait, traceCall }: ProxyDecision,
  req: NodeRequest,
  own: Record<string, string>,
  shared: boolean,
) {
  const { protocol, hostname, port, host } = new URL(origin);
  const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = fields;
  const span = traceCall(req.method);
  const [request, agent] = protocol === 'https:' ? [requestHttps, secure] : [requestHttp, insecure];
  const outgoing = request({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: req.method,
    path: req.url,
    headers: { ...headers, ...span?.headers, host, ...own },
    agent: shared ? agent : false,
    maxHeaderSize: MAX_ANSWER_HEAD,
  });
  // `maxHeaderSize` limits them. By default Node drops all fields after the first 2,000.
  outgoing.maxHeadersCount = 0;
  if (span !== null) {
    let result: number | Error | undefined;
    const note = (outcome: number | Error | undefined) => {
      result ??= outcome;
    };
    outgoing.once('response', ({ statusCode }) => note(statusCode));
    outgoing.once('error', note);
    outgoing.once('close', () => span.end(result));
  }
  endLateCall(outgoing, longestWait);
  return outgoing;
}

/**
 * Ends a call whose answer does not begin in time, also if the upstream sends a byte at a time. The time begins after the
 * last byte of the request, because an upload may be long. Before that, it limits how long the connection is silent.
 */
function endLateCall(outgoing: ClientRequest, longestWait: Millis): void {
  const end = () => void outgoing.destroy(new Error('The upstream took too long.'));
  outgoing.setTimeout(longestWait, end);
  let late: NodeJS.Timeout | undefined;
  const wait = () => {
    late = setTimeout(end, longestWait);
  };
  outgoing.once('finish', wait);
  for (const event of ['response', 'upgrade', 'close'])
    outgoing.once(event, () => {
      outgoing.off('finish', wait);
      clearTimeout(late);
    });
}

/** Returns the fields for the client: those of the upstream and of the decision, with names in lower case. */
function buildHeaders(
  answer: IncomingMessage,
  { extra, exposed }: ProxyDecision,
): Record<string, string | string[] | undefined> {
  const dropped = new Set([...HOP_BY_HOP, 'transfer-encoding', ...parseConnectionOptions(answer.headers.connection)]);
  dropped.delete('content-length');
  if (answer.statusCode === 204) dropped.add('content-length');
  for (const name of Object.keys(extra)) dropped.add(name.toLowerCase());
  const entries = Object.entries(answer.headersDistinct).filter(([name]) => !dropped.has(name));
  const fields = { ...Object.fromEntries(entries), ...extra };
  if (fields['access-control-allow-origin'] === undefined) return fields;
  return {
    ...fields,
    'access-control-expose-headers': [fields['access-control-expose-headers'] ?? [], exposed].flat(),
  };
}
