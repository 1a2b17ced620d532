import type { Config } from '@/lib/config';
import type { RequestHead } from '@/lib/http/request-head';
import { requestOrigin } from '@/lib/http/request-origin';

/** The origins of our own pages: `SLUICE_PUBLIC_URL`, and the host as the server sees it. Both doors may be used. */
export function ownOrigins(request: RequestHead, config: Config): string[] {
  const seen = requestOrigin(request, { ...config, SLUICE_PUBLIC_URL: undefined });
  return config.SLUICE_PUBLIC_URL === undefined ? [seen] : [config.SLUICE_PUBLIC_URL, seen];
}

/** Whether a browser says that it sent the request from another site: the two headers that no page can set itself. */
export function isCrossSite(request: RequestHead, config: Config): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return true;
  return origin !== null && !ownOrigins(request, config).includes(origin);
}

/**
 * Whether a browser sent this request from one of our own pages: `Origin` is there and is ours (`SLUICE_PUBLIC_URL`, or
 * the host as the server saw it), and `Sec-Fetch-Site`, where the browser sends it, says so too.
 */
export function isSameOrigin(request: RequestHead, config: Config): boolean {
  return request.headers.has('origin') && !isCrossSite(request, config);
}

/**
 * The origin of the page where the browser vouches that it is one of ours and we cannot tell: a proxy hides scheme or
 * host, and neither `SLUICE_PUBLIC_URL` nor `SLUICE_TRUSTED_PROXIES` says so. Null when the request is what it seems.
 */
export function hiddenOrigin(request: RequestHead, config: Config): string | null {
  const origin = request.headers.get('origin');
  if (origin === null || !URL.canParse(origin) || ownOrigins(request, config).includes(origin)) return null;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? origin : null;
  // Browsers leave the header out where the page came by http; then only the scheme may differ.
  const { host, protocol } = new URL(origin);
  return protocol === 'https:' && ownOrigins(request, config).includes(`http://${host}`) ? origin : null;
}
