import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Most bytes of a request that are read after its answer. */
const MOST_LATE_BYTES = 32 * 1024 * 1024;

/**
 * Lets the client read the answer to a request that is still arriving, before the connection closes. Closing with unread
 * bytes resets the connection, and the client loses the answer (RFC 9112 section 9.6).
 */
export function closeLate(req: IncomingMessage): void {
  if (req.complete) return;
  const { socket } = req;
  socket.destroySoon = () => {
    let size = 0;
    req.unpipe();
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_LATE_BYTES) socket.destroy();
    });
    req.resume();
    endSoon(socket);
  };
}

/** Ends a connection. The client has two seconds to read its answer. */
export function endSoon(socket: Duplex): void {
  socket.end();
  const end = setTimeout(() => socket.destroy(), 2_000);
  socket.once('close', () => clearTimeout(end));
}
