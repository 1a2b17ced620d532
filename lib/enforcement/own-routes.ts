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
  ...['/v1', '/api/auth', '/auth/authorize', '/_next'],
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

/** Returns whether Sluice serves a path itself. Case-sensitive, like the router. */
export function isOwnRoute(path: string): boolean {
  return EXACT.has(path) || TREES.some((tree) => path === tree || path.startsWith(`${tree}/`));
}
