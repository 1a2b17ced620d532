// The self-hosted entry: builds when there is no build, tells the address of the socket, bounds time and size,
// answers what Next would answer badly, hands decision calls to their handler, passes on what is the upstream's, and
// stops gracefully.
// --dev: develops. --migrate: brings the database to the newest schema and ends.
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  awaitBody,
  BROKEN,
  closeAfter,
  faultOf,
  hasBody,
  isClosing,
  isWebSocket,
  lengthFaultOf,
  MAX_FIELDS,
  NOT_THERE,
  parserFault,
  refuse,
  refuseOn,
  UNKNOWN_METHOD,
  UPGRADE_WITH_BODY,
} from './door.mjs';
import { answerDecisionCall, isDecisionCall } from './fast-lane.mjs';
import { answerStatic, isMissing, prepareStatic } from './static-lane.mjs';
import { passOn, passOnWebSocket } from './upstream-lane.mjs';

const dev = process.argv.includes('--dev');
const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
process.env.NEXT_TELEMETRY_DISABLED = '1';
process.env.NODE_ENV = dev ? 'development' : 'production';

const PEER_HEADER = 'x-sluice-peer';
const PEER_NONCE = randomBytes(16).toString('base64url');
globalThis[Symbol.for('sluice.peer-nonce')] = PEER_NONCE;
const STOP_WITHIN = 10_000;

const port = readPort(process.env.PORT);
if (!dev && !existsSync(join('.next', 'BUILD_ID'))) build();

// instrumentation.ts, compiled by Next, calls this when the process has started: configuration, migrations, owner.
const started = new Promise((resolve) => {
  globalThis[Symbol.for('sluice.started')] = resolve;
});
const { default: next } = await import('next');
// Next listens here for upgrades, and not on the server, where it would take every request that offers one.
const upgrades = new EventEmitter();
const app = next({ dev, dir: root, port, httpServer: upgrades });
await app.prepare();
const hooks = await started;
if (hooks.failure !== null) fail(hooks.failure);
if (process.argv.includes('--migrate')) {
  await hooks.close();
  process.exit(0);
}

if (!dev) void prepareStatic(root);
const handle = app.getRequestHandler();
const upstream = globalThis[Symbol.for('sluice.upstream-lane')];
const answered = globalThis[Symbol.for('sluice.answered')];
let stopping = false;

const server = createServer(
  {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 12_000,
    // Bodies of our own routes are timed one by one; what goes to the upstream may be an upload.
    requestTimeout: upstream === undefined ? 14_000 : 300_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    // Answered by the door, with the body of every other error.
    requireHostHeader: false,
    // Node 22.21 and later ask; earlier ones call the listener of `upgrade` for every offer.
    shouldUpgradeCallback: (req) => dev || !hasBody(req) || isWebSocket(req),
  },
  onRequest,
);
/** How Node itself takes a connection. */
const [serve] = server.listeners('connection');
/** The newest answer of each connection. Answers go out in order, so the others are out when this one is. */
const newest = new WeakMap();
server.maxHeadersCount = MAX_FIELDS + 1;
server.on('checkContinue', (req, res) => onRequest(req, res, () => res.writeContinue()));
server.on('checkExpectation', onRequest);
const sockets = new Set();
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});
server.on('clientError', (error, socket) => afterAnswers(socket, () => refuseOn(socket, parserFault(error))));
server.on('connect', (_, socket) => {
  // As with an upgrade, Node no longer listens to this connection.
  socket.on('error', () => socket.destroy());
  afterAnswers(socket, () => refuseOn(socket, UNKNOWN_METHOD));
});
server.on('upgrade', onUpgrade);
server.on('error', (error) => fail(`Cannot listen on port ${port}: ${error.message}`));
server.listen(port, process.env.HOSTNAME_BIND || undefined, () => {
  console.log(`Sluice listens on http://localhost:${server.address().port}`);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);

/** Ready turns 503 first, requests in flight finish, at most ten seconds. */
async function stop() {
  if (stopping) return process.exit(1);
  stopping = true;
  globalThis[Symbol.for('sluice.shutting-down')] = true;
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_WITHIN - 1_000);
  await new Promise((resolve) => setTimeout(resolve, 250));
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Node does not call a connection idle that was opened ahead and has not said anything yet.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(deadline);
  await hooks.close().catch((error) => console.error(error));
  process.exit(0);
}

function build() {
  console.log('No build yet: building, which takes about a minute.');
  const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
  const { status } = spawnSync(process.execPath, [next, 'build'], { stdio: 'inherit', cwd: root });
  if (status !== 0) fail('The build failed.');
}

function readPort(value) {
  if (value === undefined || value.trim() === '') return 3000;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  fail('The configuration is wrong.\nPORT must be a number from 0 to 65535.');
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Marks a request with its id and the address of its socket, whatever the client has sent in these headers. */
function stamp(req) {
  const requestId = acceptableId(req.headers['x-request-id']) ?? randomUUID();
  req.headers['x-request-id'] = requestId;
  req.headers[PEER_HEADER] = `${PEER_NONCE} ${req.socket.remoteAddress ?? ''}`;
  return requestId;
}

/** @param proceed lets a client send its body that waits for permission */
function onRequest(req, res, proceed = () => undefined) {
  if (isClosing(req.socket)) return;
  newest.set(req.socket, res);
  const requestId = stamp(req);
  const decide = globalThis[Symbol.for('sluice.fast-lane')];
  const isDecision = decide !== undefined && isDecisionCall(req.url);
  const isOwn = isDecision || !upstream?.takes(req.url);
  const fault = faultOf(req) ?? (isOwn ? lengthFaultOf(req) : null);
  if (fault === null) {
    proceed();
    if (isDecision) return fastLane(decide, req, res);
  }
  const arrived = performance.now();
  // Next may change the request's path on the way.
  const { method, url: target } = req;
  res.once('close', () =>
    answered?.({
      requestId,
      method,
      target,
      status: res.statusCode,
      duration: performance.now() - arrived,
      headers: req.headers,
    }),
  );
  res.setHeader('X-Request-Id', requestId);
  if (fault !== null) return refuse(res, fault);
  // An offer that came with a body was passed over; what came behind it is lost to some versions of Node.
  if (stopping || (req.headers.upgrade !== undefined && hasBody(req))) closeAfter(res);
  const work = isOwn ? answerOwn(req, res) : passOn(upstream, req, res);
  work.catch((error) => {
    console.error(JSON.stringify({ level: 'error', requestId, msg: 'request failed', err: String(error) }));
    refuse(res, BROKEN);
  });
}

async function answerOwn(req, res) {
  const fault = hasBody(req) ? await awaitBody(req, res) : null;
  if (fault === 'gone' || res.headersSent) return;
  if (fault !== null) return refuse(res, fault);
  if (!dev && isMissing(req)) return refuse(res, NOT_THERE);
  if (dev || !answerStatic(req, res)) await handle(req, res);
}

/** Calls back when every answer that a connection waits for is out; of a request that is not all there, before its own. */
function afterAnswers(socket, then) {
  const res = newest.get(socket);
  if (res === undefined || res.writableFinished || res.destroyed) return then();
  if (!res.req.complete) {
    const now = () => {
      if (!res.headersSent) then();
      // What has its whole answer ends its connection itself.
      else if (!res.writableEnded) socket.destroy();
    };
    return res.socket === null ? res.once('socket', now) : now();
  }
  res.once('close', then);
}

/** WebSockets go to the upstream, if there is one; every other offer is passed over, as RFC 9110 section 7.8 allows. */
function onUpgrade(req, socket, head) {
  if (dev) return upgrades.emit('upgrade', req, socket, head);
  const fail = () => socket.destroy();
  socket.on('error', fail);
  afterAnswers(req.socket, () => {
    if (socket.destroyed || isClosing(req.socket)) return;
    stamp(req);
    if (isWebSocket(req) && faultOf(req) === null && upstream?.takes(req.url)) {
      if (hasBody(req)) return refuseOn(socket, UPGRADE_WITH_BODY);
      return passOnWebSocket(upstream, req, socket, head).catch(fail);
    }
    socket.off('error', fail);
    readAgain(req, socket, head);
  });
}

/** Reads a request again as one that offers nothing; its body may still be on the way, and others behind it. */
function readAgain(req, socket, head) {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index];
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
  }
  if (hasBody(req)) lines.push('Connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  serve.call(server, socket);
}

function acceptableId(value) {
  return typeof value === 'string' && /^[A-Za-z0-9._-]{8,128}$/.test(value) ? value : null;
}

/** Answers with the handler that the route exports, without the way through Next. */
function fastLane(handler, req, res) {
  answerDecisionCall(handler, req, res, stopping).catch((error) => {
    console.error(
      JSON.stringify({
        level: 'error',
        requestId: req.headers['x-request-id'],
        msg: 'decision failed',
        err: String(error),
      }),
    );
    refuse(res, BROKEN);
  });
}
