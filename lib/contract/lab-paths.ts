/** Where the lab's endpoints are, under its origin. */
export const LAB_PATHS = {
  authorize: '/auth/authorize',
  decision: '/auth/authorize/decision',
  par: '/auth/par',
  token: '/auth/token',
  revoke: '/auth/revoke',
  userinfo: '/auth/userinfo',
  introspect: '/auth/introspect',
  jwks: '/auth/jwks',
  data: '/api/data',
  metadata: '/.well-known/oauth-authorization-server',
  discovery: '/.well-known/openid-configuration',
  /** RFC 9728 section 3: that of the origin; the path of a resource follows. */
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const;

export const COMPARISON_PATH = '/auth/compare';

/** A service that the lab issues tokens for and that is not the lab's own resource. */
export const OTHER_SERVICE = 'https://malicious-service.example/';

/** The audience of `/api/data`. */
export const RESOURCE_AUDIENCE = 'resource-server';
