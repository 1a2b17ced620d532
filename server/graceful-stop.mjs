// Stopping a server that clients still connect to, without a reset: readiness turns first, connections are accepted and
// answered (with `Connection: close`) while load balancers notice, then the listener closes and what is in flight ends.
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

/** What is in flight may take so long after the drain, in milliseconds; then its connections are cut. */
const FINISH_WITHIN = 3_500;
/** Writing what is in memory and closing the stores may take so long after that, in milliseconds. */
const CLOSE_WITHIN = 1_000;
/** How long new connections wait for the listener to close, in milliseconds. */
const HOLD = 50;
/** A connection that has said nothing gets so long since it was opened, in milliseconds. */
const SILENT_FOR = 1_000;

/** The open connections of a server with the time each was opened; to be called before it listens. */
export function connectionsOf(server) {
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
 * @returns whether all was written; false when `close` failed or took too long
 */
export async function stopServer(server, connections, { drain, close }) {
  const ending = wait(drain + FINISH_WITHIN + CLOSE_WITHIN, false);
  const cutting = wait(drain + FINISH_WITHIN);
  await wait(drain);
  const ended = closeListener(server);
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Node does not call a connection idle that has not said anything yet. One that is new is about to.
    for (const [socket, opened] of connections) {
      if (socket.bytesRead === 0 && performance.now() - opened > SILENT_FOR) socket.destroy();
    }
  }, 50);
  await Promise.race([ended, cutting]);
  clearInterval(idle);
  // Uploads, WebSockets and event streams whose other end does not care.
  for (const socket of connections.keys()) socket.destroy();
  const closed = close().then(
    () => true,
    ({ message, errors = [] }) => {
      const err = [message, ...errors].map(String).join('; ');
      console.error(JSON.stringify({ level: 'error', msg: 'closing failed', err }));
      return false;
    },
  );
  return Promise.race([closed, ending]);
}

/**
 * Closes the listener; resolves when the last connection has ended. The kernel resets a connection that waits to be
 * accepted when that happens. So accepted connections are held unread for a moment: clients that wait for an answer
 * open no other connection, the queue runs empty, and the listener closes in the very turn that found it so.
 */
async function closeListener(server) {
  const listeners = server.rawListeners('connection');
  const held = [];
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    held.push(socket);
  });
  await wait(HOLD);
  for (let accepted = -1, turns = 0; accepted !== held.length && turns < 1_000; turns += 1) {
    accepted = held.length;
    await turn();
  }
  const ended = new Promise((resolve) => server.close(resolve));
  server.removeAllListeners('connection');
  for (const listener of listeners) server.on('connection', listener);
  for (const socket of held) if (!socket.destroyed) server.emit('connection', socket);
  await ended;
}
