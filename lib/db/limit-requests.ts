import { runWithTimeout } from '@/lib/db/run-with-timeout';
import { QueueFull, Semaphore } from '@/lib/semaphore';
import type { Millis } from '@/lib/units';

/** Most requests to a database server that run at a time. */
const MOST_AT_A_TIME = 20;
/** Most requests that wait for others to end. */
const LONGEST_QUEUE = 1_000;
const PLACE_TIME: Millis = 5_000;

type Send = (request: Request) => Promise<Response>;

/**
 * Creates a `fetch` that runs a limited number of requests at a time. A request that hangs gives its place to another
 * after a while, because requests to a server that is back must not wait for the time-outs of those before.
 */
export function limitRequests(send: Send, placeTime: Millis = PLACE_TIME): Send {
  const places = new Semaphore(MOST_AT_A_TIME, LONGEST_QUEUE);
  return (request) =>
    new Promise((resolve, reject) => {
      const run = async () => {
        const answer = send(request);
        answer.then(resolve, reject);
        await runWithTimeout(answer, placeTime, () => new Error('The request hangs.')).catch(() => undefined);
      };
      places.run(run).catch((error: unknown) => {
        if (!(error instanceof QueueFull)) return reject(error);
        // The code makes it a fault of the connection (`convertDatabaseError`). Nothing was sent.
        const cause = Object.assign(new Error('Too many requests wait for it.'), { code: 'ECONNREFUSED' });
        reject(Object.assign(new Error('The database server hangs.', { cause }), { code: 'ECONNABORTED' }));
      });
    });
}
