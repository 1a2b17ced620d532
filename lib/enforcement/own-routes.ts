/*
 * The routes that Sluice serves itself; all others belong to the upstream, if there is one. A test compares this list
 * with the folders of `app`.
 */
const EXACT = new Set([
  '/',
  '/sign-in',
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/data',
  '/icon.svg',
  '/favicon.ico',
  '/auth/authorize',
  '/auth/compare',
  '/auth/token',
  '/auth/jwks',
  '/auth/revoke',
  '/auth/introspect',
  '/auth/par',
]);

const TREES = [
  '/v1',
  '/api/auth',
  '/docs',
  '/limits',
  '/decisions',
  '/allowlist',
  '/keys',
  '/audit',
  '/oauth',
  '/settings',
  '/auth/authorize',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/_next',
];

/** Whether Sluice serves a path itself. Case-sensitive, as the router. */
export function isOwnRoute(path: string): boolean {
  return EXACT.has(path) || TREES.some((tree) => path === tree || path.startsWith(`${tree}/`));
}
