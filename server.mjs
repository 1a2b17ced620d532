// @ts-check
// The self-hosted entry: reads the .env files, builds when needed, starts Next, and serves. Every request passes the door;
// then decision calls, static files and the upstream's requests take their own paths, and the rest goes to Next.
// --dev: develops. --migrate: brings the database to the newest schema and exits.
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import nextEnv from '@next/env';
import { acceptRequestId } from './lib/http/header-fields.mjs';
import { bridge } from './lib/process/bridge.mjs';
import { buildWhenNeeded } from './server/build.mjs';
import { afterAnswers, connectionsOf, noteAnswer, rereader, stopServer } from './server/connections.mjs';
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
  parserFault,
  refuse,
  refuseOn,
  UNKNOWN_METHOD,
  UPGRADE_WITH_BODY,
} from './server/door.mjs';
import { staticFiles } from './server/static-files.mjs';
import { proxyRequest, proxyWebSocket } from './server/upstream-proxy.mjs';

/**
 * @import { IncomingMessage, Server, ServerResponse } from 'node:http'
 * @import { Duplex } from 'node:stream'
 * @import { Started } from './lib/process/bridge.mjs'
 * @import { ServedRequest, ServedResponse } from './server/door.mjs'
 */

const dev = process.argv.includes('--dev');
const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
refuseOldNode();
// Next reads these two. The environment is not written after the .env files.
process.env.NEXT_TELEMETRY_DISABLED = '1';
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' });
// The real environment takes precedence over `.env.production.local`, `.env.local`, `.env.production` and `.env`.
nextEnv.loadEnvConfig(root, dev, {
  info: () => undefined,
  error: (sentence, cause) => fail(`${sentence} (${cause?.code ?? cause?.message}).`),
});

const host = process.env.HOSTNAME_BIND || undefined;
const migrateOnly = process.argv.includes('--migrate');
const port = await prepare().catch((error) => fail(error.message));
const peerNonce = randomBytes(16).toString('base64url');
bridge.peerNonce = peerNonce;
/** @type {Promise<Started>} */
const starting = new Promise((resolve) => {
  bridge.started = resolve;
});
const { default: next } = await import('next');
// Next listens here for upgrades, and not on the server, where it would take every request that offers one.
const upgrades = new EventEmitter();
const app = next({ dev, dir: root, port, httpServer: /** @type {Server} */ (upgrades) });
await (dev ? app.prepare() : prepareQuietly());
// instrumentation.ts, compiled by Next, starts the process: configuration, migrations, owner.
const { failure, drainSeconds, logFault, close } = await starting;
if (failure !== null) fail(failure);
if (migrateOnly) process.exit((await close()) ? 0 : 1);

const handle = app.getRequestHandler();
const answerStatic = dev ? () => false : staticFiles(root);
const { upstream } = bridge;
const server = createServer(
  {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 12_000,
    // Bodies of our own routes have a time limit of their own; what goes to the upstream may be an upload.
    requestTimeout: upstream === undefined ? 14_000 : 300_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    // The door checks it, with the body of every other error.
    requireHostHeader: false,
    // Node 22.21 and later ask; earlier ones call the listener of `upgrade` for every offer.
    ...{ shouldUpgradeCallback: (/** @type {IncomingMessage} */ req) => dev || !hasBody(req) || isWebSocket(req) },
  },
  onRequest,
);
const readAgain = rereader(server);
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
server.on('error', (error) => fail(cannotListen(error, port)));
server.listen(port, host, () => {
  const address = server.address();
  console.log(`Sluice listens on http://localhost:${typeof address === 'object' ? address?.port : port}`);
});
let stoppedAt = 0;
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);

/**
 * Ends the process when the requests in flight have ended: after `SLUICE_DRAIN_SECONDS` on SIGTERM, without a drain on
 * Ctrl+C. A second signal ends it at once.
 * @param {NodeJS.Signals} signal
 */
async function stop(signal) {
  // Under npm one Ctrl+C can come twice: from the terminal, and passed on.
  if (bridge.isStopping) return performance.now() - stoppedAt < 500 ? undefined : process.exit(1);
  bridge.isStopping = true;
  stoppedAt = performance.now();
  const drain = signal === 'SIGTERM' && !dev ? drainSeconds * 1_000 : 0;
  process.exit((await stopServer(server, connections, { drain, close })) ? 0 : 1);
}

/** @returns the port, once it is free and there is a build */
async function prepare() {
  const { PORT: value = '' } = process.env;
  const port = value.trim() === '' ? 3000 : Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('Invalid configuration.\nPORT must be a number from 0 to 65535.');
  if (!migrateOnly) await requireFreeAddress(port);
  if (!dev) await buildWhenNeeded(root);
  return port;
}

/** Before a database is made or the password of a first owner is shown once. @param {number} port */
async function requireFreeAddress(port) {
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once('error', (error) => reject(new Error(cannotListen(error, port))));
    probe.listen(port, host, () => probe.close(resolve));
  });
}

/** @param {NodeJS.ErrnoException} error @param {number} port @returns the sentence for the operator */
function cannotListen({ code, message }, port) {
  if (code === 'EADDRINUSE') return `PORT ${port} is taken: another program listens there.`;
  if (code === 'EACCES') return `PORT ${port} may not be listened on by this user.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOSTNAME_BIND names ${host}, which is no address of this machine (${code}).`;
  return `Cannot listen on PORT ${port}: ${message}.`;
}

/** Without Next's own lines; a build that cannot be started gets a sentence. */
async function prepareQuietly() {
  const { log } = console;
  console.log = () => undefined;
  await app.prepare().catch((error) => fail(`The build in .next cannot be started: ${error.message}`));
  console.log = log;
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 12)) fail(`Sluice needs Node 20.12 or later; this is ${process.version}.`);
}

/** @param {string} sentence @returns {never} */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/**
 * Sets the request's id and the address of its socket, whatever the client has sent in these headers.
 * @param {ServedRequest} req
 */
function stamp(req) {
  const requestId = acceptRequestId(req.headers['x-request-id']);
  req.headers['x-request-id'] = requestId;
  req.headers['x-sluice-peer'] = `${peerNonce} ${req.socket.remoteAddress ?? ''}`;
  return requestId;
}

/**
 * @param {IncomingMessage} message @param {ServerResponse} response
 * @param {() => void} proceed lets a client send its body that waits for permission
 */
function onRequest(message, response, proceed = () => undefined) {
  const req = /** @type {ServedRequest} */ (message);
  const res = /** @type {ServedResponse} */ (response);
  if (isClosing(req.socket)) return;
  noteAnswer(res);
  const requestId = stamp(req);
  const { decide, answered, isStopping = false } = bridge;
  const isDecision = decide !== undefined && isDecisionCall(req.url);
  const isOwn = isDecision || !upstream?.takes(req.url);
  const fault = faultOf(req) ?? (isOwn ? lengthFaultOf(req) : null);
  /** @param {unknown} error */
  const broken = (error) => {
    logFault(error, isDecision ? 'decision failed' : 'request failed', requestId);
    refuse(res, BROKEN);
  };
  if (fault === null) {
    proceed();
    if (isDecision) return void answerDecisionCall(decide, req, res, isStopping).catch(broken);
  }
  const arrived = performance.now();
  // Next may change the request's path on the way.
  const { method, url: target, headers } = req;
  res.once('close', () => {
    const duration = performance.now() - arrived;
    answered?.({ requestId, method, target, status: res.statusCode, duration, headers });
  });
  res.setHeader('X-Request-Id', requestId);
  if (fault !== null) return refuse(res, fault);
  // An offer that came with a body is ignored; some versions of Node lose what is behind it.
  if (isStopping || (headers.upgrade !== undefined && hasBody(req))) closeAfter(res);
  const work = isOwn || upstream === undefined ? answerOwn(req, res) : proxyRequest(upstream, req, res);
  work.catch(broken);
}

/** @param {ServedRequest} req @param {ServedResponse} res */
async function answerOwn(req, res) {
  const fault = hasBody(req) ? await awaitBody(req, res) : null;
  if (fault === 'gone' || res.headersSent) return;
  if (fault !== null) return refuse(res, fault);
  if (!answerStatic(req, res)) await handle(req, res);
}

/**
 * WebSockets go to the upstream, if there is one; every other offer is ignored, as RFC 9110 section 7.8 allows.
 * @param {IncomingMessage} message @param {Duplex} socket @param {Buffer} head
 */
function onUpgrade(message, socket, head) {
  const req = /** @type {ServedRequest} */ (message);
  if (dev) return void upgrades.emit('upgrade', req, socket, head);
  const destroy = () => void socket.destroy();
  socket.on('error', destroy);
  afterAnswers(socket, () => {
    if (socket.destroyed || isClosing(socket)) return;
    stamp(req);
    if (isWebSocket(req) && faultOf(req) === null && upstream?.takes(req.url)) {
      if (hasBody(req)) return refuseOn(socket, UPGRADE_WITH_BODY);
      return void proxyWebSocket(upstream, req, socket, head).catch(destroy);
    }
    socket.off('error', destroy);
    readAgain(req, socket, head);
  });
}
