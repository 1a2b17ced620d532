// The connections of the server: answers on one that Node has taken from it (after parse errors, CONNECT and upgrade
// offers), and a stop that resets none.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { hasBody, type NodeResponse } from '@/server/door';

/** The newest answer of each connection. Answers go out in order, so the others are out when this one is. */
const newest = new WeakMap<Duplex, NodeResponse>();

/** Records an answer as the newest of its connection. */
export function noteAnswer(res: NodeResponse): void {
  newest.set(res.req.socket, res);
}

/** Calls back when every answer that a connection waits for is out; before the answer to a request that is incomplete. */
export function afterAnswers(socket: Duplex, then: () => void): void {
  const res = newest.get(socket);
  if (res === undefined || res.writableFinished || res.destroyed) return void then();
  if (res.req.complete) return void res.once('close', then);
  const now = () => {
    if (!res.headersSent) then();
    // A complete answer ends its connection itself.
    else if (!res.writableEnded) socket.destroy();
  };
  if (res.socket === null) res.once('socket', now);
  else now();
}

/**
 * Makes a server read requests again that offered an upgrade, as requests that offer nothing. A body may still arrive,
 * and other requests behind it.
 * @param server before anything else listens to it
 */
export function rereader(server: Server): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  // How Node itself takes a connection.
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

/** The open connections of a server with the time each was opened; call it before the server listens. */
export function connectionsOf(server: Server): Map<Socket, number> {
  const connections = new Map<Socket, number>();
  server.on('connection', (socket) => {
    if (connections.has(socket)) return;
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/**
 * Stops a server that clients still connect to, without a reset. For `drain` milliseconds connections are accepted and
 * answered, with `Connection: close`, while load balancers notice that readiness fails. Then the listener closes, requests
 * in flight have 3.5 seconds to end, and `close` has one.
 * @returns whether everything was written; false when `close` failed or took too long
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
    // To Node a connection that has sent nothing is not idle. A new one is about to send, within a second.
    for (const [socket, opened] of connections) {
      if (socket.bytesRead === 0 && performance.now() - opened > 1_000) socket.destroy();
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
 * So accepted connections are held unread until no more come, for 100 ms, or a second has passed: clients that wait for an
 * answer open no other connection, the queue runs empty, and the listener closes in the same turn. Looks are counted, not
 * time, because a process that is not scheduled sees nobody.
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
