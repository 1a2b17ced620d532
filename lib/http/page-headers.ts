import { randomBytes } from 'node:crypto';
import { KEYS_WORKER_PATH, KEYS_WORKER_POLICY } from '@/lib/http/keys-worker';
import { type OriginSettings, requestOrigin } from '@/lib/http/request-origin';

/** Request header with the page's path and query, to return to after a sign-in. */
export const PAGE_HEADER = 'x-sluice-page';

/** Of what the API answers: data, and reports in HTML that bring nothing but their own style. */
const OF_API =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Security headers of Sluice's own pages, with a content security policy whose nonce is new for each request (CSP Level
 * 3). The policy also goes into the request, where Next reads the nonce for its own scripts.
 */
export function pageHeaders(request: Request, config: OriginSettings) {
  const nonce = randomBytes(16).toString('base64');
  const secure = requestOrigin(request, config).startsWith('https:');
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
    ...(secure ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
  const { pathname } = new URL(request.url);
  const policy = pathname === KEYS_WORKER_PATH ? KEYS_WORKER_POLICY : pathname.startsWith('/v1/') ? OF_API : ofPages;
  return {
    request: { 'x-nonce': nonce, [PAGE_HEADER]: pathAndQuery(request.url), 'content-security-policy': policy },
    response: {
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
      ...(secure ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
    },
  };
}

function pathAndQuery(address: string): string {
  const { pathname, searchParams } = new URL(address);
  // Next's own parameter for the parts of a page.
  searchParams.delete('_rsc');
  const query = searchParams.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}
