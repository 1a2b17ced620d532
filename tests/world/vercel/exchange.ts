import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';

/** A request without its receiver. */
export interface Message {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** An answer whose body is not read yet. */
export type Answered = IncomingMessage;

/** Fields of a request that only the platform writes. */
const OF_PLATFORM = /^(?:x-vercel-|x-forwarded-|x-matched-path$|x-now-|x-middleware-|x-real-ip$|forwarded$)/;
/** Fields that belong to one connection. */
const OF_CONNECTION = /^(?:connection|keep-alive|transfer-encoding|te|trailer|upgrade|content-length)$/;

/**
 * Returns what a function receives of a request: the fields of the client, and those of the platform. All tests call from
 * loopback, so here a client has the address of its `X-Forwarded-For`. The platform ignores that field.
 */
export function headersOfPlatform({ headers }: IncomingMessage): IncomingHttpHeaders {
  const address = String(headers['x-forwarded-for'] ?? '127.0.0.1');
  const fromClient = Object.entries(headers).filter(([name]) => !OF_PLATFORM.test(name) && !OF_CONNECTION.test(name));
  return {
    ...Object.fromEntries(fromClient),
    'x-forwarded-for': address,
    'x-real-ip': address,
    'x-vercel-forwarded-for': address,
    'x-forwarded-proto': 'https',
    'x-forwarded-host': headers.host,
    'x-vercel-id': 'iad1::test',
  };
}

/** Applies the fields of a request that a middleware has replaced. */
export function overrideHeaders(headers: IncomingHttpHeaders, answered: IncomingHttpHeaders): IncomingHttpHeaders {
  const list = answered['x-middleware-override-headers'];
  if (typeof list !== 'string') return headers;
  const names = list.split(',').map((name) => name.trim());
  return Object.fromEntries(names.map((name) => [name, answered[`x-middleware-request-${name}`]]));
}

/** Returns the fields that a middleware adds to the answer. */
export function addedHeaders(answered: IncomingHttpHeaders): IncomingHttpHeaders {
  const names = Object.keys(answered).filter(
    (name) => !name.startsWith('x-middleware-') && !OF_CONNECTION.test(name) && name !== 'date',
  );
  return Object.fromEntries(names.map((name) => [name, answered[name]]));
}

/** Sends a request on a connection of its own. */
export function send(
  receiver: { host: string; port: number },
  { method, path, headers, body }: Message,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
    const request = sendRequest({ ...receiver, method, path, headers: { ...headers, ...length }, agent: false });
    request.once('response', resolve).once('error', reject).end(body);
  });
}

/** Passes an answer on to the client. */
export function passOn(answered: Answered, response: ServerResponse): void {
  for (const [name, value] of Object.entries(answered.headers))
    if (value !== undefined && !OF_CONNECTION.test(name)) response.setHeader(name, value);
  response.writeHead(answered.statusCode ?? 502);
  answered.pipe(response);
  response.once('close', () => answered.destroy());
}

/** Reads the whole body, as the platform does before it calls a function. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
