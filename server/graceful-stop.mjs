// @ts-check
// Stops a server that clients still connect to, without a reset: readiness fails first, connections are accepted and
// answered (with `Connection: close`) while load balancers notice, then the listener closes and requests in flight end.
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

/**
 * @import { Server } from 'node:http'
 * @import { Socket } from 'node:net'
 */

/** Time for requests in flight after the drain, in milliseconds; then their connections are cut. */
const FINISH_WITHIN = 3_500;
/** Time for writing what is in memory and closing the stores after that, in milliseconds. */
const CLOSE_WITHIN = 1_000;
/**
 * The listener closes after `quiet` looks in a row, `pause` milliseconds apart, at which no connection was new. New
 * connections wait for that no longer than `most` looks: a second.
 */
const LOOKS = { quiet: 10, pause: 10, most: 100 };
/** A connection that has sent nothing may stay open this long, in milliseconds. */
const SILENT_FOR = 1_000;

/**
 * The open connections of a server with the time each was opened; call it before the server listens.
 * @param {Server} server
 */
export function connectionsOf(server) {
  /** @type {Map<Socket, number>} */
  const connections = new Map();
  server.on('connection', (socket) => {
    if (connections.has(socket)) return;
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/**
 * Accepts for `drain` milliseconds, closes the listener, lets requests in flight finish and calls `close`.
 * It takes at most `drain` and 4.5 seconds.
 * @param {Server} server
 * @param {Map<Socket, number>} connections
 * @param {{ drain: number, close: () => Promise<boolean> }} options
 * @returns {Promise<boolean>} whether everything was written; false when `close` failed or took too long
 */
export async function stopServer(server, connections, { drain, close }) {
  const ending = wait(drain + FINISH_WITHIN + CLOSE_WITHIN, false);
  const cutting = wait(drain + FINISH_WITHIN);
  await wait(drain);
  const ended = closeListener(server);
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // To Node a connection that has sent nothing is not idle. A new one is about to send.
    for (const [socket, opened] of connections) {
      if (socket.bytesRead === 0 && performance.now() - opened > SILENT_FOR) socket.destroy();
    }
  }, 50);
  await Promise.race([ended, cutting]);
  clearInterval(idle);
  // Uploads, WebSockets and event streams that did not end.
  for (const socket of connections.keys()) socket.destroy();
  return Promise.race([close(), ending]);
}

/**
 * Closes the listener; resolves when the last connection has ended. Closing resets connections that wait to be accepted.
 * So accepted connections are held unread until no more come: clients that wait for an answer open no other connection, the
 * queue runs empty, and the listener closes in the same turn. Looks are counted, not time, because a process that is not
 * scheduled sees nobody.
 * @param {Server} server
 */
async function closeListener(server) {
  const listeners = server.rawListeners('connection');
  /** @type {Socket[]} */
  const held = [];
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    held.push(socket);
  });
  for (let looks = 0, quiet = 0, seen = 0; quiet < LOOKS.quiet && looks < LOOKS.most; looks += 1) {
    await wait(LOOKS.pause);
    quiet = held.length === seen ? quiet + 1 : 0;
    seen = held.length;
  }
  for (let accepted = -1, turns = 0; accepted !== held.length && turns < 1_000; turns += 1) {
    accepted = held.length;
    await turn();
  }
  const ended = new Promise((resolve) => server.close(resolve));
  server.removeAllListeners('connection');
  for (const listener of listeners) server.on('connection', /** @type {(socket: Socket) => void} */ (listener));
  for (const socket of held) if (!socket.destroyed) server.emit('connection', socket);
  await ended;
}
