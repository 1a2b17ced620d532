import type { Millis } from '@/lib/units';

/** Most bytes of an answer. sqld sends at most 10 MB by default. */
const MOST_READ = 67_108_864;

/**
 * Creates the `fetch` for a database server. A call ends within a time, with its whole body: the client has no time-out,
 * so a server that hangs would keep a connection for each call. Redirects are not followed, because the statements hold
 * data of the installation.
 */
export function createBoundedFetch(time: Millis): (request: Request) => Promise<Response> {
  return async (request) => {
    const ended = new AbortController();
    const late = setTimeout(() => ended.abort(new Error(`The time of ${time / 1_000} s is over.`)), time);
    try {
      const answer = await fetch(request, { redirect: 'manual', signal: ended.signal });
      const { status, headers } = answer;
      if (status > 599) throw new Error(`The status is ${status}.`);
      const body = await readBody(answer);
      return new Response(body.length === 0 ? null : body, { status, headers });
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      // The code makes it a fault of the connection (`convertDatabaseError`).
      throw Object.assign(new Error(`The database server gave no whole answer. ${reason}`, { cause: error }), {
        code: 'ECONNABORTED',
      });
    } finally {
      clearTimeout(late);
      // Ends a body that was not read to its end.
      ended.abort();
    }
  };
}

async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MOST_READ) throw new Error(`It is larger than ${MOST_READ} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
