import { isOutage, reportLoss, waitUntilBack } from '@/components/api/reach';

/** Headers of Next's router: one requests a page, the other marks a prefetch. */
const PAGE = 'rsc';
const AHEAD = 'next-router-prefetch';

/**
 * Holds navigations inside the console while the server is down. Next's router reacts to a failed page fetch with a
 * full navigation, which ends on the browser's error page and loses open forms. This wrapper waits until the server is
 * back and then repeats the fetch. Returns a function that removes the wrapper.
 */
export function holdNavigations(): () => void {
  const plain = window.fetch;
  const fetchWhenBack: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has(PAGE) || headers.has(AHEAD)) return plain(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input, location.origin);
    for (;;) {
      try {
        const response = await plain(input, init);
        if (!isOutage(response)) return response;
      } catch (error) {
        if (init?.signal?.aborted) throw error;
      }
      reportLoss();
      await waitUntilBack(pathname);
    }
  };
  window.fetch = fetchWhenBack;
  return () => {
    if (window.fetch === fetchWhenBack) window.fetch = plain;
  };
}
