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
    outgoing.end(body);
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: { get: (name) => [incoming.headers[name] ?? []].flat().join(', ') || null },
    body: incoming,
  };
}

/** Reads a body as text. */
export async function readBodyText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
