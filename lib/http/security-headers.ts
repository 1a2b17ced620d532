import type { HeaderReader } from '@/lib/http/request-head';
import { isSecure, type OriginSettings } from '@/lib/http/request-origin';

const API_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Security headers of every answer that Sluice creates.
 * The content security policy is for data, and for HTML reports, which use only inline styles. Pages replace it.
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

/** Paths whose answers a gateway passes on to its own clients, on another host than Sluice. */
const PASSED_ON = /^\/v1\/forward-auth(?:[/?]|$)/;

/**
 * Builds the header that keeps browsers on TLS (RFC 6797), for requests that arrived over TLS.
 * @param path of the request, with or without its query
 */
export function buildStrictTransport(
  path: string,
  headers: HeaderReader,
  config: OriginSettings,
): Record<string, string> {
  return isSecure(headers, config) && !PASSED_ON.test(path) ? STRICT_TRANSPORT : {};
}
