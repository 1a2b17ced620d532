// Runs the server: reads the .env files of the working directory, starts Next, and serves. Every request is validated.
// Decision calls, API calls, static files and the upstream's requests are answered here, and all others by Next.
// Bundled, this is `.next/standalone/server.mjs` (server/standalone.ts), and in development `.next/serve.mjs`.
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { isDecisionPath, isEnvoyPath } from '@/lib/enforcement/decision-api/decision-paths';
import { setIdentityHeaders } from '@/lib/http/identity-headers';
import { findFault, MAX_FIELDS, UNKNOWN_METHOD } from '@/lib/http/request-fault';
import { bridge, type Started } from '@/lib/process/bridge';
import { answerApiCall, isApiCall } from '@/server/api';
import { readServerArguments } from '@/server/arguments';
import { awaitBody, findLengthFault } from '@/server/bodies';
import { callAfterAnswers, createRereader, recordAnswer, stopServer, trackConnections } from '@/server/connections';
import { answerDecisionCall } from '@/server/decision-call';
import { explainListenFailure, fail, loadEnvFiles, requireFreeAddress, requireNode } from '@/server/settings';
import { createStaticHandler } from '@/server/static-files';
import { proxyRequest, proxyWebSocket } from '@/server/upstream-proxy';
import {
  BROKEN,
  chooseParserFault,
  closeAfter,
  hasBody,
  isClosing,
  isWebSocket,
  type NodeRequest,
  type NodeResponse,
  refuse,
  refuseConnection,
  UPGRADE_WITH_BODY,
} from '@/server/validation';

const { dev, migrate, reset } = readServerArguments();
/** Directory that the product is served from. The .env files and the database are in the working directory. */
const directory = fileURLToPath(new URL(dev ? '..' : '.', import.meta.url));
requireNode();
// Slow pages cause V8 to allocate parts of a request in the old generation. From then on the other parts of every
// request are promoted too, even in the decision API, which would spend a quarter of its time on collecting them.
setFlagsFromString('--no-allocation-site-pretenuring');
// Next reads these two. The environment is not written after the .env files.
process.env.NEXT_TELEMETRY_DISABLED = '1';
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' });
await loadEnvFiles(dev);
const { host, port } = await requireFreeAddress({ isServing: !migrate && reset === null, dev });
const peerNonce = randomBytes(16).toString('base64url');
bridge.peerNonce = peerNonce;
bridge.directory = directory;
if (reset !== null) bridge.resetOwner = reset;
const starting = new Promise<Started>((resolve) => {
  bridge.started = resolve;
});
if (!dev) takeBuiltConfiguration();
const { default: next } = await import('next');
// Next listens on this emitter for upgrades. On the server it would take every request that offers one.
const upgrades = new EventEmitter();
const app = next({ dev, dir: directory, port, httpServer: upgrades as Server });
await (dev ? app.prepare() : prepareQuietly());
// instrumentation.ts, compiled by Next, starts the process: configuration, migrations, owner.
const { failure, printed, drainSeconds, logFault, close } = await starting;
if (failure !== null) fail(failure);
if (printed !== undefined) {
  console.log(printed);
  process.exit(0);
}
if (migrate) process.exit((await close()) ? 0 : 1);

const handle = app.getRequestHandler();
const answerStatic = dev ? () => false : createStaticHandler(directory);
const { upstream } = bridge;
const server = createServer(
  {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 12_000,
    // Bodies of our own routes have a separate time limit. Requests to the upstream may be uploads.
    requestTimeout: upstream === undefined ? 14_000 : 300_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    // Request validation checks the header, to answer with the usual error body.
    requireHostHeader: false,
    // Node 22.21 and later call this. Earlier versions emit `upgrade` for every offer.
    ...{ shouldUpgradeCallback: (req: IncomingMessage) => dev || !hasBody(req) || isWebSocket(req) },
  },
  onRequest,
);
const readAgain = createRereader(server);
server.maxHeadersCount = MAX_FIELDS + 1;
server.on('checkContinue', (req, res) => onRequest(req, res, () => res.writeContinue()));
server.on('checkExpectation', onRequest);
const connections = trackConnections(server);
server.on('clientError', (error, socket) =>
  callAfterAnswers(socket, () => refuseConnection(socket, chooseParserFault(error))),
);
server.on('connect', (_, socket) => {
  // Node no longer listens to this connection, as after an upgrade.
  socket.on('error', () => socket.destroy());
  callAfterAnswers(socket, () => refuseConnection(socket, UNKNOWN_METHOD));
});
server.on('upgrade', onUpgrade);
server.on('error', (error) => fail(explainListenFailure(error, { host, port })));
server.listen(port, host, () => {
  const address = server.address();
  console.log(`Sluice listens on http://localhost:${typeof address === 'object' ? address?.port : port}`);
});
let stoppedAt = 0;
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);

/**
 * Ends the process after the requests in flight. SIGTERM first drains for `SLUICE_DRAIN_SECONDS`, Ctrl+C does not. A
 * second signal ends it at once.
 */
async function stop(signal: NodeJS.Signals) {
  // One Ctrl+C can arrive twice under npm: from the terminal and from npm.
  if (bridge.isStopping) return performance.now() - stoppedAt < 500 ? undefined : process.exit(1);
  bridge.isStopping = true;
  stoppedAt = performance.now();
  const drain = signal === 'SIGTERM' && !dev ? drainSeconds * 1_000 : 0;
  process.exit((await stopServer(server, connections, { drain, close })) ? 0 : 1);
}

/** Loads Next's configuration from the build, because next.config.mjs is not part of the product. */
function takeBuiltConfiguration() {
  const { config } = JSON.parse(readFileSync(join(directory, '.next', 'required-server-files.json'), 'utf8'));
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config);
}

/** Prepares Next without its log lines. A build that cannot be started is reported in a sentence. */
async function prepareQuietly() {
  const { log } = console;
  console.log = () => undefined;
  await app.prepare().catch((error) => fail(`The build in .next cannot be started: ${error.message}`));
  console.log = log;
}

/** @param proceed lets a client send its body that waits for permission */
function onRequest(message: IncomingMessage, response: ServerResponse, proceed: () => void = () => undefined): void {
  const req = message as NodeRequest;
  const res = response as NodeResponse;
  if (isClosing(req.socket)) return;
  recordAnswer(res);
  const requestId = setIdentityHeaders(req, peerNonce);
  if (bridge.traced === undefined) answer(req, res, requestId, proceed);
  else bridge.traced(req, res, () => answer(req, res, requestId, proceed));
}

function answer(req: NodeRequest, res: NodeResponse, requestId: string, proceed: () => void): void {
  const path = parsePath(req.url);
  const isDecision = isDecisionPath(path);
  const isOwn = isDecision || !upstream?.takes(req.url);
  const fault = findFault(req, !isOwn || isEnvoyPath(path)) ?? (isOwn ? findLengthFault(req) : null);
  const refuseAfterFault = (error: unknown) => {
    logFault(error, isDecision ? 'decision failed' : 'request failed', requestId);
    refuse(res, BROKEN);
  };
  if (fault === null && isDecision) return void answerDecisionCall(req, res, proceed, refuseAfterFault);
  const arrived = performance.now();
  // Next may change the path of the request, so it is copied.
  const { method, url: target, headers } = req;
  res.once('close', () => {
    const duration = performance.now() - arrived;
    const isStream = String(res.getHeader('content-type')).startsWith('text/event-stream');
    bridge.answered?.({ requestId, method, target, status: res.statusCode, duration, isStream, headers });
  });
  res.setHeader('X-Request-Id', requestId);
  if (fault !== null) return void refuse(res, fault);
  // An upgrade offer with a body is ignored, because some versions of Node lose the bytes after it.
  if (bridge.isStopping || (headers.upgrade !== undefined && hasBody(req))) closeAfter(res);
  const work =
    isOwn || upstream === undefined ? answerOwnRoute(req, res, proceed) : proxyRequest(upstream, req, res, proceed);
  work.catch(refuseAfterFault);
}

async function answerOwnRoute(req: NodeRequest, res: NodeResponse, proceed: () => void): Promise<void> {
  if (isApiCall(req.url)) {
    if (!dev) return answerApiCall(req, res, proceed);
    // In development Next answers, because its copy of the operations follows the sources. It reads the body itself: one
    // that was read and put back is no body of a route without `proxy.ts`.
    proceed();
    return void (await handle(req, res));
  }
  if (!(await awaitBody(req, res, proceed)) || answerStatic(req, res)) return;
  await handle(req, res);
}

/**
 * WebSockets go to the upstream, if there is one; every other offer is ignored, as RFC 9110 section 7.8 allows.
 */
function onUpgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void {
  const req = message as NodeRequest;
  if (dev) return void upgrades.emit('upgrade', req, socket, head);
  const destroy = () => void socket.destroy();
  socket.on('error', destroy);
  callAfterAnswers(socket, () => {
    if (socket.destroyed || isClosing(socket)) return;
    setIdentityHeaders(req, peerNonce);
    if (isWebSocket(req) && findFault(req, true) === null && upstream?.takes(req.url)) {
      if (hasBody(req)) return refuseConnection(socket, UPGRADE_WITH_BODY);
      return void proxyWebSocket(upstream, req, socket, head).catch(destroy);
    }
    socket.off('error', destroy);
    readAgain(req, socket, head);
  });
}
