import type { HeaderReader } from '@/lib/http/request-head';
import { isSecure, type OriginSettings } from '@/lib/http/request-origin';

const API_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Security headers of every answer that Sluice itself gives. Pages replace the content security policy: this one is for
 * data, and for reports in HTML that bring nothing but their own style.
 */
export const SECURITY_HEADERS = {
  'Content-Security-Policy': API_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
} as const;

const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } as const;

/** A gateway passes these answers on to its own clients, whose host is not that of Sluice. */
const PASSED_ON = /^\/v1\/forward-auth(?:[/?]|$)/;

/**
 * The header that keeps browsers on TLS from then on (RFC 6797), for requests that arrived by TLS.
 * @param path of the request, with or without its query
 */
export function strictTransport(path: string, headers: HeaderReader, config: OriginSettings): Record<string, string> {
  return isSecure(headers, config) && !PASSED_ON.test(path) ? STRICT_TRANSPORT : {};
}
