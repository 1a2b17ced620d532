import { isOutage, reportLoss, whenBack } from '@/components/api/reach';

/** The header with which Next's router asks for a page, and the one that marks a page fetched ahead. */
const PAGE = 'rsc';
const AHEAD = 'next-router-prefetch';

/**
 * Keeps a navigation in the console while the server is away. Next's router answers a failed fetch of a page with a
 * navigation of the browser, which ends on the browser's error page and loses what is open. Here such a fetch waits
 * until the server is back, and is then repeated: until then the page stays. Returns a function that ends this.
 */
export function holdNavigations(): () => void {
  const plain = window.fetch;
  const held: typeof fetch = async (input, init) => {
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
      await whenBack(pathname);
    }
  };
  window.fetch = held;
  return () => {
    if (window.fetch === held) window.fetch = plain;
  };
}
