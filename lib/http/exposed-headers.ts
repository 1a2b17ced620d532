/** Sluice's response headers that scripts of other origins may read (Fetch standard, section "CORS protocol"). */
export const EXPOSED_HEADERS: readonly string[] = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Status'],
  ...['X-Quota-Limit', 'X-Quota-Remaining', 'X-Quota-Reset', 'Retry-After', 'RateLimit-Policy', 'RateLimit'],
  ...['WWW-Authenticate', 'X-Request-Id'],
];
