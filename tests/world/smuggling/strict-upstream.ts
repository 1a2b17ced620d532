import { createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../fixtures/listen';

/** A request as it stood on the wire. */
export interface SeenRequest {
  method: string;
  target: string;
  /** Names in lower case, in order. */
  fields: [name: string, value: string][];
  body: string;
  /** Whether its body came to its end. */
  complete: boolean;
}

/** An upstream that believes nothing: a parser of its own, as strict as RFC 9112, over recorded bytes. */
export interface StrictUpstream {
  port: number;
  seen: SeenRequest[];
  /** What it could not read as exactly one request after the other; with the bytes of the connection. */
  violations: string[];
  connections(): number;
  close(): Promise<void>;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Answers `answer for METHOD target`; a WebSocket where the target ends in `/ws`, which it ends at the first byte. */
export async function startStrictUpstream(): Promise<StrictUpstream> {
  const seen: SeenRequest[] = [];
  const violations: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let bytes = '';
    let read = 0;
    let tunnel = false;
    let current: SeenRequest | null = null;
    socket.on('data', (data) => {
      bytes += data.toString('latin1');
      if (tunnel) return void socket.end('tunnelled');
      try {
        for (;;) {
          if (current === null) {
            const end = bytes.indexOf('\r\n\r\n', read);
            if (end < 0) return;
            current = parseHead(bytes.slice(read, end));
            seen.push(current);
            read = end + 4;
          }
          const end = readBody(current, bytes, read);
          if (end === null) return;
          read = end;
          current.complete = true;
          const { method, target, fields } = current;
          const upgrade = fields.find(([name]) => name === 'upgrade')?.[1];
          if (upgrade !== undefined && target.endsWith('/ws')) {
            tunnel = true;
            socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
            if (read < bytes.length) socket.end('tunnelled');
            return;
          }
          const body = `answer for ${method} ${target}`;
          const closes = fields.some(([name, value]) => name === 'connection' && /close/i.test(value));
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n${closes ? 'Connection: close\r\n' : ''}\r\n${method === 'HEAD' ? '' : body}`,
          );
          if (closes) socket.end();
          current = null;
        }
      } catch (fault) {
        violations.push(`${String(fault)} in ${JSON.stringify(bytes.slice(-2000))}`);
        socket.destroy();
      }
    });
  });
  return {
    port: await listen(server),
    seen,
    violations,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function parseHead(text: string): SeenRequest {
  const [start = '', ...lines] = text.split('\r\n');
  if (/[\r\n\0]/.test(lines.join(''))) throw new Error('a bare CR, LF or NUL in a head');
  const [, method = '', target = ''] = /^([A-Z]+) ([\x21-\x7e]+) HTTP\/1\.[01]$/.exec(start) ?? [];
  if (method === '') throw new Error(`an invalid request line: ${JSON.stringify(start)}`);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    if (colon < 0 || !TOKEN.test(name)) throw new Error(`an invalid header: ${JSON.stringify(line)}`);
    return [name.toLowerCase(), line.slice(colon + 1).trim()];
  });
  const all = (wanted: string) => fields.filter(([name]) => name === wanted);
  if (all('host').length !== 1) throw new Error('not one Host');
  if (all('content-length').length + all('transfer-encoding').length > 1) throw new Error('framed twice');
  if (all('content-length').some(([, value]) => !/^(0|[1-9]\d*)$/.test(value))) throw new Error('an invalid length');
  if (all('transfer-encoding').some(([, value]) => value !== 'chunked'))
    throw new Error('a coding that is not chunked');
  return { method, target, fields, body: '', complete: false };
}

/** Where the body ends that starts at `start`; null when it is not all there. */
function readBody(request: SeenRequest, bytes: string, start: number): number | null {
  const field = (wanted: string) => request.fields.find(([name]) => name === wanted)?.[1];
  if (field('transfer-encoding') === undefined) {
    const end = start + Number(field('content-length') ?? 0);
    if (end > bytes.length) return null;
    request.body = bytes.slice(start, end);
    return end;
  }
  request.body = '';
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const text = bytes.slice(at, line);
    if (!/^[0-9a-fA-F]{1,8}$/.test(text)) throw new Error(`an invalid chunk size: ${JSON.stringify(text)}`);
    const size = Number.parseInt(text, 16);
    const end = line + 2 + size;
    if (bytes.length < end + 2) return null;
    if (bytes.slice(end, end + 2) !== '\r\n') throw new Error('a chunk that does not end');
    request.body += bytes.slice(line + 2, end);
    if (size === 0) return end + 2;
    at = end + 2;
  }
}
