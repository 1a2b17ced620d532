import type { RequestHead } from '@/lib/http/request-head';
import { findSeenOrigin, type OriginSettings } from '@/lib/http/request-origin';

/** Lists the origins of our own pages: `SLUICE_PUBLIC_URL`, and the origin of the request. */
export function listOwnOrigins(request: RequestHead, config: OriginSettings): string[] {
  const seen = findSeenOrigin(request, config);
  return config.SLUICE_PUBLIC_URL === undefined ? [seen] : [config.SLUICE_PUBLIC_URL, seen];
}

/** Returns whether another site sent the request. It checks the two headers that no page can set itself. */
export function isCrossSite(request: RequestHead, config: OriginSettings): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return true;
  return origin !== null && !listOwnOrigins(request, config).includes(origin);
}

/**
 * Returns whether a browser sent this request from one of our own pages. `Origin` must be present and ours, and
 * `Sec-Fetch-Site` must agree if the browser sends it.
 */
export function isSameOrigin(request: RequestHead, config: OriginSettings): boolean {
  return request.headers.has('origin') && !isCrossSite(request, config);
}

/**
 * Returns the page's origin if the browser calls the request same-origin but the server sees another origin. In that
 * case a proxy changes scheme or host, and neither `SLUICE_PUBLIC_URL` nor `SLUICE_TRUSTED_PROXIES` is set. Returns
 * null otherwise.
 */
export function findHiddenOrigin(request: RequestHead, config: OriginSettings): string | null {
  const origin = request.headers.get('origin');
  if (origin === null || !URL.canParse(origin) || listOwnOrigins(request, config).includes(origin)) return null;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? origin : null;
  // Browsers omit the header on http pages. Then only the scheme may differ.
  const { host, protocol } = new URL(origin);
  return protocol === 'https:' && listOwnOrigins(request, config).includes(`http://${host}`) ? origin : null;
}
