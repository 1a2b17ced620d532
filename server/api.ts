// Answers the API without Next: passes Node's request to `bridge.answerApi`, which Next's route handlers call too, and
// writes its answer.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import compression from 'compression';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { ApiError } from '@/lib/http/api-error';
import { isProbePath } from '@/lib/http/probe-paths';
import { bridge } from '@/lib/process/bridge';
import { AUTHORISED, awaitIgnoredBody, hasReadableBody, PUBLIC, receiveBody } from '@/server/bodies';
import { buildUrl, closeAfter, type NodeRequest, type NodeResponse, send } from '@/server/validation';

const API = /^\/v1(?:\/|$)/;
/** Paths that Next redirects or resolves: with empty segments, dot segments, or backslashes. */
const REWRITTEN = /\/\/|\\|\/$|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Returns whether a request target belongs to the API. Next handles paths that it redirects or resolves first. */
export function isApiCall(target: string): boolean {
  const path = parsePath(target);
  return (API.test(path) || isProbePath(path)) && !REWRITTEN.test(path);
}

/**
 * Answers a call of an operation as Next's route handlers do.
 * @param proceed lets a client send its body that waits for permission
 */
export async function answerApiCall(
  req: NodeRequest,
  res: NodeResponse & { flush?: () => void },
  proceed: () => void,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  await awaitIgnoredBody(req, res);
  const answer = await bridge.answerApi?.(buildRequest(req, res, proceed, gone.signal));
  if (answer === undefined) throw new Error('The process has not started.');
  if (res.headersSent || res.destroyed) return void answer.body?.cancel().catch(() => undefined);
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('Set-Cookie', cookie);
  const { 'set-cookie': _, 'content-length': length, ...headers } = Object.fromEntries(answer.headers);
  if (answer.body === null || length !== undefined) {
    const body = answer.body === null ? null : await answer.text();
    if (res.headersSent || res.destroyed) return;
    if (body !== null && body.length >= COMPRESSED_FROM) compress(req, res, () => undefined);
    return send(res, { status: answer.status, headers, body });
  }
  if (!req.complete) closeAfter(res);
  // The stream, its compression and the log of requests wait for the end, which is more than Node's limit of ten.
  res.setMaxListeners(20);
  compress(req, res, () => undefined);
  res.writeHead(answer.status, headers);
  const source = Readable.fromWeb(answer.body as NodeStream);
  const ended = pipeline(source, res).catch(() => undefined);
  // The reader of a stream waits for each part, so each is flushed.
  source.on('data', () => res.flush?.());
  await ended;
}

/** Minimum length of a compressed answer, in bytes, as in Next. */
const COMPRESSED_FROM = 1024;
/** The types of `compression` are those of Express, but it needs only Node's objects. */
const compress = compression({ threshold: COMPRESSED_FROM }) as unknown as (
  req: NodeRequest,
  res: NodeResponse & { flush?: () => void },
  next: () => void,
) => void;

/**
 * Converts Node's request to a `Request`. Its body is received when the operation reads it, after the caller was
 * authorised.
 */
function buildRequest(req: NodeRequest, res: NodeResponse, proceed: () => void, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const init = { method: req.method, headers, signal };
  if (!hasReadableBody(req)) return new Request(buildUrl(req), init);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        proceed();
        const bytes = await receiveBody(req, res, req.url.startsWith('/v1/admin/') ? AUTHORISED : PUBLIC);
        // The body was refused, or the client disconnected. No answer will be read.
        if (bytes === null) return controller.error(new ApiError('bad_request', 'The body did not arrive.'));
        // Next would get it from the request.
        req.read();
        if (bytes.byteLength > 0) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Request(buildUrl(req), { ...init, body, duplex: 'half' } as RequestInit);
}
