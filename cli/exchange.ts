import { type IncomingMessage, request as overHttp } from 'node:http';

interface Sent {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Ends the exchange, at any moment. */
  signal: AbortSignal;
}

/** An answer whose body is still on its way. */
export interface StreamedAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array>;
}

/**
 * One request by `node:http`: in Node 20 the first `fetch` of a process alone takes longer than everything else that a
 * command does. Redirects are answers like others. Rejects with the error of Node, which has a `code`.
 */
export async function exchange({ url, method, headers, body, signal }: Sent): Promise<StreamedAnswer> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : overHttp;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers, ...length }, signal });
    outgoing.once('response', resolve);
    // Also after the answer began, when there is nobody left to tell: reading the body fails then.
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: { get: (name) => [incoming.headers[name] ?? []].flat().join(', ') || null },
    body: incoming,
  };
}

/** All of a body, as text. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
