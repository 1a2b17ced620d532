// Receives the bodies of requests to our own routes. Each route limits size and time. A budget limits all bodies
// together. If a route needs credentials, they are checked before the body is read.
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { BodyBudget } from '@/lib/http/body-budget';
import { createTooLarge, getMaxBodyBytes, METHODS_WITHOUT_BODY } from '@/lib/http/body-limits';
import type { ErrorFields } from '@/lib/http/error-answer';
import { bridge } from '@/lib/process/bridge';
import type { NodeRequest, NodeResponse } from '@/server/validation';
import { BUSY, closeAfter, hasBody, refuse, TOO_SLOW } from '@/server/validation';

/** Time limit for a body, in milliseconds. */
export const BODY_WITHIN = 14_000;

const MIB = 1024 * 1024;

/** Budget for bodies that are read only after a role was checked: the decision API, `/v1/admin`. */
export const AUTHORISED = new BodyBudget(64 * MIB, 40 * MIB);
/** Budget for bodies of unauthenticated callers, of at most 64 KiB: sign-ins, the lab. */
export const PUBLIC = new BodyBudget(16 * MIB, 2 * MIB);

/** Returns whether a request has a body that one of our routes may read. */
export function hasReadableBody(req: NodeRequest): boolean {
  return hasBody(req) && !METHODS_WITHOUT_BODY.has(req.method);
}

/** Returns the fault of the declared length of a body, or null. */
export function findLengthFault(req: NodeRequest): ErrorFields | null {
  if (METHODS_WITHOUT_BODY.has(req.method)) return null;
  const limit = getMaxBodyBytes(parsePath(req.url));
  return Number(req.headers['content-length'] ?? 0) > limit ? createTooLarge(limit) : null;
}

/**
 * Receives the whole body of a request. Its bytes count against the budget until the answer is sent.
 * @returns null if it was refused, or the client disconnected
 */
export async function receiveBody(req: NodeRequest, res: NodeResponse, budget: BodyBudget): Promise<Buffer | null> {
  const limit = getMaxBodyBytes(parsePath(req.url));
  const caller = bridge.callerOf?.(req.headers) ?? req.socket.remoteAddress ?? '';
  let held = 0;
  res.once('close', () => budget.release(caller, held));
  const late = setTimeout(() => refuse(res, TOO_SLOW), BODY_WITHIN);
  const { state, bytes } = await readAhead(req, limit, (size) => {
    if (res.headersSent || !budget.take(caller, size)) return false;
    held += size;
    return true;
  });
  clearTimeout(late);
  if (res.headersSent) return null;
  if (state === 'larger') refuse(res, createTooLarge(limit));
  if (state === 'refused') refuse(res, BUSY);
  return state === 'whole' ? bytes : null;
}

/**
 * Receives the body of a request for Next, and passes it on as a whole.
 * @param proceed lets the client send its body
 * @returns false if the request was answered, or the client disconnected
 */
export async function awaitBody(req: NodeRequest, res: NodeResponse, proceed: () => void): Promise<boolean> {
  await awaitIgnoredBody(req, res);
  if (!hasReadableBody(req)) return true;
  proceed();
  return (await receiveBody(req, res, PUBLIC)) !== null;
}

/**
 * Waits for a body that is never read, if there is one, so that requests behind it are answered. A small body arrives
 * together with its head. A larger one is not awaited, and its answer ends the connection.
 */
export async function awaitIgnoredBody(req: NodeRequest, res: NodeResponse): Promise<void> {
  if (!hasBody(req) || hasReadableBody(req)) return;
  await turn();
  if (!req.complete) closeAfter(res);
}

/** `larger` if the body exceeds the limit, `gone` if the client disconnected. */
type BodyState = 'whole' | 'larger' | 'refused' | 'gone';

/**
 * Reads a body up to `limit` bytes and puts it back.
 * @param mayHold called before bytes are held
 */
export function readAhead(
  req: IncomingMessage,
  limit: number,
  mayHold: (bytes: number) => boolean = () => true,
): Promise<{ state: BodyState; bytes: Buffer }> {
  return new Promise((resolve) => {
    // A stream that has ended emits no more events.
    if (req.complete && req.readableLength === 0) return resolve({ state: 'whole', bytes: Buffer.alloc(0) });
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (state: BodyState) => {
      req.off('readable', read);
      req.off('close', handleClose);
      const bytes = Buffer.concat(chunks);
      // The bytes go back before the stream detects its end, because an ended stream accepts none.
      if (size > 0 && (state === 'whole' || state === 'larger')) req.unshift(bytes);
      resolve({ state, bytes });
    };
    const read = () => {
      while (req.readableLength > 0) {
        const chunk = req.read();
        if (!mayHold(chunk.length)) return finish('refused');
        size += chunk.length;
        chunks.push(chunk);
      }
      if (size > limit) finish('larger');
      else if (req.complete) finish('whole');
    };
    const handleClose = () => finish('gone');
    req.once('close', handleClose);
    req.on('readable', read);
  });
}
