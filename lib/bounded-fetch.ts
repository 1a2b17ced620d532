import type { Millis } from '@/lib/units';

interface FetchBounds {
  /** Name of the peer in error messages: `database server`. */
  peer: string;
  /** Longest duration of a request, with its whole answer. */
  time: Millis;
  /** Most bytes of an answer, after decompression. */
  bytes: number;
}

/**
 * Creates a `fetch` whose calls end within a time, with the whole body. An answer that is not JSON, such as the page of
 * a proxy, fails like a lost connection when it is read as JSON. The `fetch` follows no redirect, because a request holds
 * credentials or data of the installation. Node 20 collects an `AbortSignal.timeout` to which only a `fetch` refers, and
 * a body that stalls would never end. The timer here keeps the signal alive.
 */
export function createBoundedFetch({ peer, time, bytes }: FetchBounds): (request: Request) => Promise<Response> {
  return async (request) => {
    const ended = new AbortController();
    const late = setTimeout(() => ended.abort(new Error(`The time of ${time / 1_000} s is over.`)), time);
    try {
      const answer = await fetch(request, { redirect: 'manual', signal: ended.signal });
      const { status, headers } = answer;
      if (status > 599) throw new Error(`The status is ${status}.`);
      const body = await readBody(answer, bytes);
      const whole = new Response(body.length === 0 ? null : body, { status, headers });
      const parse = whole.json.bind(whole);
      const json = () =>
        parse().catch((error: unknown) => {
          throw createFault(`The ${peer} gave an answer that is not JSON.`, error);
        });
      return Object.assign(whole, { json });
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      throw createFault(`The ${peer} gave no whole answer. ${reason}`, error);
    } finally {
      clearTimeout(late);
      // Ends a body that was not read to its end.
      ended.abort();
    }
  };
}

/** Creates an error whose code makes it a fault of the connection (`convertDatabaseError`). */
function createFault(message: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: 'ECONNABORTED' });
}

async function readBody({ body }: Response, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > bytes) throw new Error(`It is larger than ${bytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
