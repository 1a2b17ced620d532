import { type IncomingMessage, request as overHttp } from 'node:http';

interface Sent {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Aborts the exchange at any time. */
  signal: AbortSignal;
}

/** An answer whose body is still arriving. */
export interface StreamedAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends one request by `node:http`. In Node 20 the first `fetch` of a process takes longer than the rest of a command.
 * Redirects are returned like other answers. Rejects with Node's error, which has a `code`.
 */
export async function exchange({ url, method, headers, body, signal }: Sent): Promise<StreamedAnswer> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : overHttp;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers, ...length }, signal });
    outgoing.once('response', resolve);
    // The listener stays after the answer has begun: reading the body then fails, and this call has no effect.
    outgoing.on('error', reject);
    // A server that answers 101 ends the connection without an error.
    outgoing.on('close', () => reject(new Error('the server closed the connection without an answer')));
    outgoing.end(body);
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: { get: (name) => [incoming.headers[name] ?? []].flat().join(', ') || null },
    body: readToEnd(incoming, signal),
  };
}

/** A body without a length ends with its connection, even if the signal ended that: then it is not whole. */
async function* readToEnd(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* body;
  signal.throwIfAborted();
}

/** More than any answer that is read as a whole, in bytes. */
const LARGEST = 32 * 1024 * 1024;

/** Reads a body as text. @throws Error if it is larger than 32 MiB */
export async function readBodyText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST) throw new Error('the answer is larger than 32 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
