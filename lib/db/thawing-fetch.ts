import { createBoundedFetch } from '@/lib/bounded-fetch';
import { ThawCheck } from '@/lib/db/thaw-check';
import type { Millis } from '@/lib/units';

/** Timeout of a check. */
const TIMEOUT: Millis = 1_000;

/**
 * Creates the `fetch` of a libSQL client, for processes that a platform freezes. The check is the version request of
 * Hrana over HTTP (`GET /v3`). Any answer shows that the connection works.
 * @param send sends the requests
 * @param monotonic clock in milliseconds that never goes back
 */
export function createThawingFetch(send: (request: Request) => Promise<Response>, monotonic: () => Millis) {
  let address = '';
  const sendCheck = createBoundedFetch({ peer: 'database server', time: TIMEOUT, bytes: 65_536 });
  const isAnswering = () =>
    sendCheck(new Request(address)).then(
      () => true,
      () => false,
    );
  const check = new ThawCheck(isAnswering, monotonic);
  return (request: Request): Promise<Response> => {
    address = new URL('/v3', request.url).href;
    return check.call(() => send(request));
  };
}
