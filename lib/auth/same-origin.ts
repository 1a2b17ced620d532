import type { Config } from '@/lib/config';
import type { RequestHead } from '@/lib/http/request-head';
import { requestOrigin } from '@/lib/http/request-origin';

/** Whether a browser says that it sent the request from another site: the two headers that no page can set itself. */
export function isCrossSite(request: RequestHead, config: Config): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return true;
  return origin !== null && origin !== config.SLUICE_PUBLIC_URL && origin !== seenOrigin(request, config);
}

/**
 * Whether a browser sent this request from one of our own pages: `Origin` is there and is ours (`SLUICE_PUBLIC_URL`, or
 * the host as the server saw it), and `Sec-Fetch-Site`, where the browser sends it, says so too.
 */
export function isSameOrigin(request: RequestHead, config: Config): boolean {
  return request.headers.has('origin') && !isCrossSite(request, config);
}

/** The origin by the `Host` header, also where a public one is configured: both doors may be used. */
function seenOrigin(request: RequestHead, config: Config): string {
  return requestOrigin(
    request,
    config.SLUICE_PUBLIC_URL === undefined ? config : { ...config, SLUICE_PUBLIC_URL: undefined },
  );
}
