import { ThawCheck } from '@/lib/db/thaw-check';
import type { Millis } from '@/lib/units';

/** Timeout of a check. */
const TIMEOUT: Millis = 1_000;

/**
 * Creates the `fetch` of a libSQL client, for processes that a platform freezes. The check is the version request of
 * Hrana over HTTP (`GET /v3`). Any answer shows that the connection works.
 * @param monotonic clock in milliseconds that never goes back
 */
export function createThawingFetch(monotonic: () => Millis): (request: Request) => Promise<Response> {
  let address = '';
  const isAnswering = async () => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT) });
      // A body that is not read would cost the connection.
      await response.arrayBuffer();
      return true;
    } catch {
      return false;
    }
  };
  const check = new ThawCheck(isAnswering, monotonic);
  return (request) => {
    address = new URL('/v3', request.url).href;
    return check.call(() => fetch(request));
  };
}
