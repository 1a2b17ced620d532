import { EXPOSED_HEADERS } from '@/lib/http/exposed-headers';

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

/** Where the metadata of the lab's resource is (RFC 9728 section 3.1). */
export const DATA_METADATA_PATH = `${LAB_PATHS.resourceMetadata}${LAB_PATHS.data}`;

/** What clients in a browser call themselves, from any origin and without cookies; never the authorization endpoint. */
export const CALLED_BY_SCRIPTS: ReadonlySet<string> = new Set([
  LAB_PATHS.par,
  LAB_PATHS.token,
  LAB_PATHS.revoke,
  LAB_PATHS.userinfo,
  LAB_PATHS.jwks,
  LAB_PATHS.data,
  LAB_PATHS.metadata,
  LAB_PATHS.discovery,
  LAB_PATHS.resourceMetadata,
  DATA_METADATA_PATH,
]);

/** On every answer to them (Fetch standard, section 3.2). */
export const CROSS_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [...EXPOSED_HEADERS, 'Sluice-Lab-Off', 'Sluice-Lab-Waived'].join(', '),
} as const;

export const COMPARISON_PATH = '/auth/compare';

/** A second service that the lab issues tokens for. `/api/data` refuses them, unless audiences are not validated. */
export const OTHER_SERVICE = 'https://another-service.example/';

/** The audience of `/api/data`. */
export const RESOURCE_AUDIENCE = 'resource-server';

/** The names of the lab's own resources, as audiences and as `resource`: that of the data, its URL, and the origin. */
export const ownResources = (origin: string): readonly string[] => [
  RESOURCE_AUDIENCE,
  origin + LAB_PATHS.data,
  origin,
  `${origin}/`,
];
