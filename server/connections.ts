// Manages the connections of the server: answers on connections that Node has detached (after parse errors, CONNECT and
// upgrade offers), and a stop that resets none.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { hasBody, type NodeResponse } from '@/server/validation';

/** The newest answer of each connection. Answers are sent in order, so the others are complete when this one is. */
const newest = new WeakMap<Duplex, NodeResponse>();

/** Records an answer as the newest of its connection. */
export function recordAnswer(res: NodeResponse): void {
  newest.set(res.req.socket, res);
}

/**
 * Calls back when every pending answer of a connection was sent. If the newest request is incomplete, it calls back
 * before that answer.
 */
export function callAfterAnswers(socket: Duplex, onSent: () => void): void {
  const res = newest.get(socket);
  if (res === undefined || res.writableFinished || res.destroyed) return void onSent();
  if (res.req.complete) return void res.once('close', onSent);
  const proceed = () => {
    if (!res.headersSent) onSent();
    // A complete answer ends its connection itself.
    else if (!res.writableEnded) socket.destroy();
  };
  if (res.socket === null) res.once('socket', proceed);
  else proceed();
}

/**
 * Returns a function that makes a server parse a request with an upgrade offer again, without the offer. A body and
 * further requests may still arrive.
 * @param server must not have other connection listeners yet
 */
export function createRereader(server: Server): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  // Node's own listener for connections.
  const [serve] = server.listeners('connection');
  return (req, socket, head) => {
    const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
    for (let index = 0; index < req.rawHeaders.length; index += 2) {
      const name = req.rawHeaders[index];
      if (name?.toLowerCase() !== 'upgrade') lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
    }
    if (hasBody(req)) lines.push('Connection: close');
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    serve?.call(server, socket);
  };
}

/**
 * Records the open connections of a server, with the time each was opened. Must be called before the server listens.
 */
export function trackConnections(server: Server): Map<Socket, number> {
  const connections = new Map<Socket, number>();
  server.on('connection', (socket) => {
    if (connections.has(socket)) return;
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/**
 * Stops a server without resetting connections of active clients. For `drain` milliseconds it accepts and answers
 * connections, with `Connection: close`, while load balancers detect the failing readiness. Then it closes the
 * listener. Requests in flight have 3.5 seconds to end, and `close` has one second.
 * @returns false if `close` failed or took too long
 */
export async function stopServer(
  server: Server,
  connections: Map<Socket, number>,
  { drain, close }: { drain: number; close: () => Promise<boolean> },
): Promise<boolean> {
  const cutting = wait(drain + 3_500);
  const ending = wait(drain + 4_500, false);
  await wait(drain);
  const ended = closeListener(server);
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Node does not count a connection as idle that has sent nothing. A new one gets a second to send.
    for (const [socket, opened] of connections) {
      if (socket.bytesRead === 0 && performance.now() - opened > 1_000) socket.destroy();
    }
  }, 50);
  await Promise.race([ended, cutting]);
  clearInterval(idle);
  // Closes uploads, WebSockets and event streams that did not end.
  for (const socket of connections.keys()) socket.destroy();
  return Promise.race([close(), ending]);
}

/**
 * Closes the listener, and resolves when the last connection has ended. Closing resets connections in the accept queue.
 * So accepted connections are held unread until none arrives for 100 ms, or a second has passed. Clients that wait for
 * an answer open no other connection, so the queue empties, and the listener closes in the same turn. The loop counts
 * iterations instead of time, because a process without CPU accepts no connections.
 */
async function closeListener(server: Server): Promise<void> {
  const listeners = server.rawListeners('connection');
  const held: Socket[] = [];
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    held.push(socket);
  });
  for (let looks = 0, quiet = 0, seen = 0; quiet < 10 && looks < 100; looks += 1) {
    await wait(10);
    quiet = held.length === seen ? quiet + 1 : 0;
    seen = held.length;
  }
  for (let accepted = -1, turns = 0; accepted !== held.length && turns < 1_000; turns += 1) {
    accepted = held.length;
    await turn();
  }
  const ended = new Promise((resolve) => server.close(resolve));
  server.removeAllListeners('connection');
  for (const listener of listeners) server.on('connection', listener as (socket: Socket) => void);
  for (const socket of held) if (!socket.destroyed) server.emit('connection', socket);
  await ended;
}
