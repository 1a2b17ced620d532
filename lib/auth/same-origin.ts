import type { RequestHead } from '@/lib/http/request-head';
import { type OriginSettings, requestOrigin } from '@/lib/http/request-origin';

/** The origins of our own pages: `SLUICE_PUBLIC_URL`, and the origin as the server sees it. */
export function ownOrigins(request: RequestHead, config: OriginSettings): string[] {
  const seen = requestOrigin(request, { ...config, SLUICE_PUBLIC_URL: undefined });
  return config.SLUICE_PUBLIC_URL === undefined ? [seen] : [config.SLUICE_PUBLIC_URL, seen];
}

/** Whether the browser says, in the two headers that no page can set itself, that another site sent the request. */
export function isCrossSite(request: RequestHead, config: OriginSettings): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return true;
  return origin !== null && !ownOrigins(request, config).includes(origin);
}

/**
 * Whether a browser sent this request from one of our own pages: `Origin` is present and ours, and `Sec-Fetch-Site`,
 * where the browser sends it, agrees.
 */
export function isSameOrigin(request: RequestHead, config: OriginSettings): boolean {
  return request.headers.has('origin') && !isCrossSite(request, config);
}

/**
 * The page's origin when the browser calls the request same-origin and the server sees another origin: a proxy changes
 * scheme or host, and neither `SLUICE_PUBLIC_URL` nor `SLUICE_TRUSTED_PROXIES` is set. Null otherwise.
 */
export function hiddenOrigin(request: RequestHead, config: OriginSettings): string | null {
  const origin = request.headers.get('origin');
  if (origin === null || !URL.canParse(origin) || ownOrigins(request, config).includes(origin)) return null;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? origin : null;
  // Browsers omit the header on http pages; then only the scheme may differ.
  const { host, protocol } = new URL(origin);
  return protocol === 'https:' && ownOrigins(request, config).includes(`http://${host}`) ? origin : null;
}
