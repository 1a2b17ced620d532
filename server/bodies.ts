// Receives the bodies of requests to our own routes: each within the limit of its route and in time, all of them together
// within a budget. What needs credentials is read only after they were checked.
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { maxBodyBytes } from '@/lib/http/body-limits';
import type { ErrorFields } from '@/lib/http/error-answer';
import { bridge } from '@/lib/process/bridge';
import type { NodeRequest, NodeResponse } from '@/server/door';
import { BUSY, closeAfter, hasBody, refuse, TOO_SLOW, tooLarge } from '@/server/door';

/** How long the body of a request to one of our own routes may take, in milliseconds. */
export const BODY_WITHIN = 14_000;

const MIB = 1024 * 1024;
/** Methods whose bodies no route of ours reads. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Bytes of bodies that are held at a time, from all callers and from each. */
class Budget {
  readonly #held = new Map<string, number>();
  #sum = 0;

  /** @param most bytes in sum */
  constructor(
    private readonly most: number,
    private readonly mostOfCaller: number,
  ) {}

  /** Holds so many bytes more for a caller, or none. */
  take(caller: string, bytes: number): boolean {
    const held = (this.#held.get(caller) ?? 0) + bytes;
    if (this.#sum + bytes > this.most || held > this.mostOfCaller) return false;
    this.#sum += bytes;
    this.#held.set(caller, held);
    return true;
  }

  release(caller: string, bytes: number): void {
    const held = (this.#held.get(caller) ?? 0) - bytes;
    this.#sum -= bytes;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
  }
}

/** For bodies that are read only once a role was checked: the decision API, `/v1/admin`. */
export const AUTHORISED = new Budget(64 * MIB, 40 * MIB);
/** For bodies that anybody may send, of at most 64 KiB: sign-ins, the lab. */
export const PUBLIC = new Budget(16 * MIB, 2 * MIB);

/** Returns whether a request has a body that a route of ours may read. */
export function hasReadableBody(req: NodeRequest): boolean {
  return hasBody(req) && !WITHOUT_BODY.has(req.method);
}

/** What is wrong with the declared length of a body for one of our own routes, or null. */
export function lengthFaultOf(req: NodeRequest): ErrorFields | null {
  if (WITHOUT_BODY.has(req.method)) return null;
  const limit = maxBodyBytes(parsePath(req.url));
  return Number(req.headers['content-length'] ?? 0) > limit ? tooLarge(limit) : null;
}

/**
 * Receives the whole body of a request. It is held until the answer is out.
 * @returns null when it was refused, or the sender went away
 */
export async function receiveBody(req: NodeRequest, res: NodeResponse, budget: Budget): Promise<Buffer | null> {
  const limit = maxBodyBytes(parsePath(req.url));
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
  if (state === 'larger') refuse(res, tooLarge(limit));
  if (state === 'refused') refuse(res, BUSY);
  return state === 'whole' ? bytes : null;
}

/**
 * Receives the body of a request for Next, which gets it whole and at once.
 * @param proceed lets the client send its body
 * @returns false when the request was answered, or its sender went away
 */
export async function awaitBody(req: NodeRequest, res: NodeResponse, proceed: () => void): Promise<boolean> {
  if (!hasBody(req)) return true;
  if (WITHOUT_BODY.has(req.method)) {
    // A small body comes with its head. A larger one is not waited for.
    await turn();
    if (!req.complete) closeAfter(res);
    return true;
  }
  proceed();
  return (await receiveBody(req, res, PUBLIC)) !== null;
}

/** `larger` when there is more behind the limit, `gone` when the sender went away. */
type BodyState = 'whole' | 'larger' | 'refused' | 'gone';

/**
 * Reads a body up to `limit` bytes and puts it back.
 * @param mayHold asked before bytes are held
 */
export function readAhead(
  req: IncomingMessage,
  limit: number,
  mayHold: (bytes: number) => boolean = () => true,
): Promise<{ state: BodyState; bytes: Buffer }> {
  return new Promise((resolve) => {
    // A stream that has ended says no more.
    if (req.complete && req.readableLength === 0) return resolve({ state: 'whole', bytes: Buffer.alloc(0) });
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (state: BodyState) => {
      req.off('readable', read);
      req.off('close', left);
      const bytes = Buffer.concat(chunks);
      // Before the stream notices its end: a stream that has ended takes nothing back.
      if (size > 0 && (state === 'whole' || state === 'larger')) req.unshift(bytes);
      resolve({ state, bytes });
    };
    const read = () => {
      while (req.readableLength > 0) {
        const chunk = req.read();
        if (!mayHold(chunk.length)) return done('refused');
        size += chunk.length;
        chunks.push(chunk);
      }
      if (size > limit) done('larger');
      else if (req.complete) done('whole');
    };
    const left = () => done('gone');
    req.once('close', left);
    req.on('readable', read);
  });
}
