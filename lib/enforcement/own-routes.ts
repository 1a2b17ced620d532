import { isPlain } from '@/lib/enforcement/path-readings';
import { PROBE_PATHS } from '@/lib/http/probe-paths';

// Routes that Sluice serves itself. All others belong to the upstream, if there is one. A test compares this list with
// the folders of `app`.
const EXACT = new Set([
  ...[
    '/',
    '/sign-in',
    '/sign-in/second-factor',
    '/invitation',
    ...PROBE_PATHS,
    '/api/data',
    '/icon.svg',
    '/favicon.ico',
  ],
  ...['authorize', 'compare', 'token', 'jwks', 'revoke', 'introspect', 'par', 'userinfo'].map(
    (endpoint) => `/auth/${endpoint}`,
  ),
]);

const TREES = [
  ...['/v1', '/api/auth', '/auth/authorize', '/auth/logout', '/_next'],
  ...[
    '/docs',
    '/limits',
    '/alerts',
    '/decisions',
    '/allowlist',
    '/exceptions',
    '/keys',
    '/audit',
    '/oauth',
    '/settings',
  ],
  ...['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'].map(
    (name) => `/.well-known/${name}`,
  ),
];

/**
 * Returns whether Sluice serves a path itself. Reads it as the router does: dot segments are resolved, backslashes are
 * slashes, several slashes are one. Other spellings, such as `/d%6fcs` or `/docs;x`, belong to the upstream.
 */
export function isOwnRoute(path: string): boolean {
  if (isPlain(path)) return isRoute(path);
  const { pathname } = new URL(`/${path}`.replace(/[\\/]+/g, '/'), 'http://localhost');
  return isRoute(pathname) || isRoute(pathname.replace(/\/$/, ''));
}

/** Case-sensitive, like the router. */
function isRoute(path: string): boolean {
  return EXACT.has(path) || TREES.some((tree) => path === tree || path.startsWith(`${tree}/`));
}
