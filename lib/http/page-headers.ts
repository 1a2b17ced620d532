import { randomBytes } from 'node:crypto';
import { KEYS_WORKER_PATH, KEYS_WORKER_POLICY } from '@/lib/http/keys-worker';
import { isSecure, type OriginSettings } from '@/lib/http/request-origin';
import { buildStrictTransport, SECURITY_HEADERS } from '@/lib/http/security-headers';

/** Request header with the page's path and query, to return to after a sign-in. */
export const PAGE_HEADER = 'x-sluice-page';

/**
 * Builds the security headers of Sluice's own pages. The content security policy has a new nonce for each request (CSP
 * Level 3).
 * The request gets the policy too, because Next reads the nonce there for its own scripts.
 */
export function buildPageHeaders(request: Request, config: OriginSettings) {
  const nonce = randomBytes(16).toString('base64');
  const ofPages = [
    "default-src 'self'",
    // biome-ignore lint/style/noProcessEnv: Next puts the value in when it builds.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${process.env.NODE_ENV === 'development' ? " 'unsafe-eval'" : ''}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(isSecure(request.headers, config) ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
  const { pathname } = new URL(request.url);
  const policy = pathname === KEYS_WORKER_PATH ? KEYS_WORKER_POLICY : ofPages;
  return {
    request: { 'x-nonce': nonce, [PAGE_HEADER]: readPathAndQuery(request.url), 'content-security-policy': policy },
    response: {
      ...SECURITY_HEADERS,
      'Content-Security-Policy': policy,
      ...buildStrictTransport(pathname, request.headers, config),
    },
  };
}

function readPathAndQuery(address: string): string {
  const { pathname, searchParams } = new URL(address);
  // Next adds this parameter when it requests parts of a page.
  searchParams.delete('_rsc');
  const query = searchParams.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}
