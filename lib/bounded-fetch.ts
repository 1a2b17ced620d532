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
 * Creates a `fetch` whose calls end within a time, with the whole body. It follows no redirect, because a request holds
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
      return new Response(body.length === 0 ? null : body, { status, headers });
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      // The code makes it a fault of the connection (`convertDatabaseError`).
      throw Object.assign(new Error(`The ${peer} gave no whole answer. ${reason}`, { cause: error }), {
        code: 'ECONNABORTED',
      });
    } finally {
      clearTimeout(late);
      // Ends a body that was not read to its end.
      ended.abort();
    }
  };
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
