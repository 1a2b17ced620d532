import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from '../../fixtures/listen';

/** A request as the application received it. */
interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: { bytes: number; sha256: string };
}

/** The application that the gateways protect. */
export interface Application {
  port: number;
  seen: Seen[];
  /** Waits until a part of the body of the request with this id has arrived. */
  receives(id: string): Promise<void>;
  /** How many requests with this id have begun to arrive. */
  begun(id: string): number;
  /** Lets the event stream with this id send its second event, and end. */
  proceed(id: string): void;
  close(): Promise<void>;
}

/** Header fields that only Sluice may send to a client. */
export const SPOOFED = {
  'X-RateLimit-Limit': '7777',
  'X-RateLimit-Remaining': '7777',
  'X-RateLimit-Reset': '7777',
  'X-RateLimit-Status': 'bypassed',
  'X-Quota-Limit': '7777',
  'X-Quota-Remaining': '7777',
  'X-Quota-Reset': '7777',
  'X-RL-Status': '200',
  'X-RL-Body': '7777',
  RateLimit: '"spoofed";r=7777;t=1',
  'RateLimit-Policy': '"spoofed";q=7777;w=1',
};

export const LARGE = 8 * 1024 * 1024;

/**
 * Answers `the application`, with the status of `?status=`; with `?spoof` limit headers of its own. `?large` is answered
 * with `LARGE` bytes, `?events` with an event stream whose second event waits for `proceed`. The first request with an id
 * and `?never` is not answered. WebSockets echo.
 */
export async function startApplication(onPort = 0): Promise<Application> {
  const seen: Seen[] = [];
  const events = new EventEmitter();
  const received = new Set<string>();
  const begun = new Map<string, number>();

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request;
    const query = new URL(url, 'http://application').searchParams;
    const id = String(headers['x-id']);
    const before = begun.get(id) ?? 0;
    begun.set(id, before + 1);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      hash.update(chunk);
      received.add(id);
      events.emit('received');
    }
    const body = { bytes, sha256: hash.digest('hex') };
    seen.push({ method, url, headers, body });
    if (query.has('events')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: first\n\n');
      await Promise.race([once(events, `proceed ${id}`), once(response, 'close')]);
      return response.end('data: second\n\n');
    }
    if (query.has('never') && before === 0) return;
    if (query.has('large')) return response.end(Buffer.alloc(LARGE, 'x'));
    response.writeHead(Number(query.get('status') ?? 200), {
      'Content-Type': 'text/plain',
      'X-Application': 'yes',
      ...(query.has('spoof') ? SPOOFED : {}),
    });
    response.end('the application');
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', ({ method = '', url = '', headers }, socket) => {
    seen.push({ method, url, headers, body: { bytes: 0, sha256: '' } });
    socket.on('error', () => socket.destroy());
    // RFC 6455 section 4.2.2: HAProxy checks it.
    const accepted = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(accepted).digest('base64');
    const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`);
    socket.pipe(socket);
  });
  return {
    port: await listen(server, onPort),
    seen,
    async receives(id) {
      while (!received.has(id)) await once(events, 'received');
    },
    begun: (id) => begun.get(id) ?? 0,
    proceed: (id) => void events.emit(`proceed ${id}`),
    close: () => close(server),
  };
}
