// The self-hosted entry: reads the .env files, builds what is not built, tells the address of the socket, bounds time
// and size, refuses at the door what Next would answer badly, hands decision calls to their handler, passes on what is
// the upstream's, and stops gracefully.
// --dev: develops. --migrate: brings the database to the newest schema and ends.
import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createProbe } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import nextEnv from '@next/env';
import { buildWhenNeeded } from './server/build.mjs';
import { answerDecisionCall, isDecisionCall } from './server/decision-path.mjs';
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
} from './server/door.mjs';
import { connectionsOf, stopServer } from './server/graceful-stop.mjs';
import { answerStatic, isMissing, prepareStatic } from './server/static-files.mjs';
import { passOn, passOnWebSocket } from './server/upstream-proxy.mjs';

const dev = process.argv.includes('--dev');
const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
refuseOldNode();
// Next reads these two, and puts what the .env files say beside them: the environment is not written after this.
process.env.NEXT_TELEMETRY_DISABLED = '1';
process.env.NODE_ENV = dev ? 'development' : 'production';
readEnvFiles();

const PEER_HEADER = 'x-sluice-peer';
const PEER_NONCE = randomBytes(16).toString('base64url');
globalThis[Symbol.for('sluice.peer-nonce')] = PEER_NONCE;

const migrateOnly = process.argv.includes('--migrate');
const port = readPort(process.env.PORT);
const host = process.env.HOSTNAME_BIND || undefined;
if (!migrateOnly) await refuseTakenAddress();
if (!dev) await buildWhenNeeded(root).catch((error) => fail(error.message));

// instrumentation.ts, compiled by Next, calls this when the process has started: configuration, migrations, owner.
const started = new Promise((resolve) => {
  globalThis[Symbol.for('sluice.started')] = resolve;
});
const { default: next } = await import('next');
// Next listens here for upgrades, and not on the server, where it would take every request that offers one.
const upgrades = new EventEmitter();
const app = next({ dev, dir: root, port, httpServer: upgrades });
await (dev ? app.prepare() : prepareQuietly(app));
const hooks = await started;
if (hooks.failure !== null) fail(hooks.failure);
if (migrateOnly) {
  await hooks.close();
  process.exit(0);
}

if (!dev) void prepareStatic(root);
const handle = app.getRequestHandler();
const upstream = globalThis[Symbol.for('sluice.upstream-lane')];
const answered = globalThis[Symbol.for('sluice.answered')];
let stopping = false;
let stoppedAt = 0;

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
const connections = connectionsOf(server);
server.on('clientError', (error, socket) => afterAnswers(socket, () => refuseOn(socket, parserFault(error))));
server.on('connect', (_, socket) => {
  // As with an upgrade, Node no longer listens to this connection.
  socket.on('error', () => socket.destroy());
  afterAnswers(socket, () => refuseOn(socket, UNKNOWN_METHOD));
});
server.on('upgrade', onUpgrade);
server.on('error', (error) => fail(cannotListen(error)));
server.listen(port, host, () => {
  console.log(`Sluice listens on http://localhost:${server.address().port}`);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);

/**
 * Ends the process: SIGTERM after `SLUICE_DRAIN_SECONDS`, Ctrl+C at once, both when what is in flight has ended. A second
 * signal does not wait for anything.
 */
async function stop(signal) {
  // Under npm one Ctrl+C can come twice: from the terminal, and passed on.
  if (stopping) return performance.now() - stoppedAt < 500 ? undefined : process.exit(1);
  stopping = true;
  stoppedAt = performance.now();
  globalThis[Symbol.for('sluice.shutting-down')] = true;
  const drain = signal === 'SIGTERM' && !dev ? hooks.drainSeconds * 1_000 : 0;
  const written = await stopServer(server, connections, { drain, close: hooks.close });
  process.exit(written ? 0 : 1);
}

/** What the real environment says counts more than `.env.production.local`, `.env.local`, `.env.production` and `.env`. */
function readEnvFiles() {
  const error = (sentence, cause) => fail(`${sentence} (${cause?.code ?? cause?.message}).`);
  nextEnv.loadEnvConfig(root, dev, { info: () => undefined, error });
}

/** Says that the address is taken before anything is made: a database, or a first owner whose password is shown once. */
async function refuseTakenAddress() {
  const probe = createProbe();
  await new Promise((resolve) => {
    probe.once('error', (error) => fail(cannotListen(error)));
    probe.listen(port, host, () => probe.close(resolve));
  });
}

function cannotListen({ code, message }) {
  if (code === 'EADDRINUSE') return `PORT ${port} is taken: another program listens there.`;
  if (code === 'EACCES') return `PORT ${port} may not be listened on by this user.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOSTNAME_BIND names ${host}, which is no address of this machine (${code}).`;
  return `Cannot listen on PORT ${port}: ${message}.`;
}

/** Without what Next tells on the way; of a build that cannot be started a sentence. */
async function prepareQuietly(app) {
  const { log } = console;
  console.log = () => undefined;
  await app.prepare().catch((error) => fail(`The build in .next cannot be started: ${error.message}`));
  console.log = log;
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 12)) fail(`Sluice needs Node 20.12 or later; this is ${process.version}.`);
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
