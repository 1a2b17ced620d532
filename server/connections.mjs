// @ts-check
// Answers on a connection that Node has taken from its HTTP server: after parse errors, CONNECT and upgrade offers.
import { hasBody } from './door.mjs';

/**
 * @import { IncomingMessage, Server } from 'node:http'
 * @import { Duplex } from 'node:stream'
 * @import { ServedResponse } from './door.mjs'
 */

/**
 * The newest answer of each connection. Answers go out in order, so the others are out when this one is.
 * @type {WeakMap<Duplex, ServedResponse>}
 */
const newest = new WeakMap();

/** @param {ServedResponse} res */
export function noteAnswer(res) {
  newest.set(res.req.socket, res);
}

/**
 * Calls back when every answer that a connection waits for is out; before the answer to a request that is incomplete.
 * @param {Duplex} socket
 * @param {() => void} then
 */
export function afterAnswers(socket, then) {
  const res = newest.get(socket);
  if (res === undefined || res.writableFinished || res.destroyed) return then();
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
 * @param {Server} server before anything else listens to it
 * @returns {(req: IncomingMessage, socket: Duplex, head: Buffer) => void}
 */
export function rereader(server) {
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
