import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';

let last = 0;

/** An address of this machine's loopback network that no other test of this process is a client from. */
export function nextAddress(): string {
  last += 1;
  return `127.7.${Math.floor(last / 250)}.${1 + (last % 250)}`;
}

/** Opens a request over http or https, from an address, on a connection of its own. */
export function open(url: string, options: RequestOptions) {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = request(url, { agent: false, rejectUnauthorized: false, ...options });
  // Who waits for the answer is told; a gateway may close while the rest of a body is on its way.
  return outgoing.on('error', () => undefined);
}

/** An answer, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

interface Call {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  /** What the request line says in place of the path, such as an absolute URL. */
  target?: string;
}

/** Calls a URL from an address, with its path as it is written. */
export async function call(
  url: string,
  localAddress: string,
  { body, target, ...options }: Call = {},
): Promise<Answer> {
  const [, scheme, host, port, path = '/'] = /^(https?:)\/\/([^:/]+):(\d+)(\/.*)?$/.exec(url) ?? [];
  const outgoing = open(`${scheme}//${host}:${port}/`, { ...options, localAddress, path: target ?? path });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode ?? 0, headers, body: text };
}

export const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');

/**
 * Opens a WebSocket and says something: what came back, or the status with which the server refused.
 * @returns the open connection too, so that it can be left open
 */
export async function webSocket(url: string, localAddress: string): Promise<{ said: string; socket?: Duplex }> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
  };
  const outgoing = open(url, { localAddress, headers });
  outgoing.end();
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      answer.resume();
      resolve({ said: String(answer.statusCode) });
    });
    outgoing.once('upgrade', (_, socket) => {
      socket.on('error', () => undefined);
      socket.write('hello');
      void once(socket, 'data').then(([data]) => resolve({ said: String(data), socket }));
    });
  });
}
