import { EXPOSED_HEADERS } from '@/lib/http/exposed-headers';

/** Paths of the lab's endpoints, under its origin. */
export const LAB_PATHS = {
  authorize: '/auth/authorize',
  decision: '/auth/authorize/decision',
  par: '/auth/par',
  deviceAuthorization: '/auth/device_authorization',
  /** Page at which a person answers a device. */
  device: '/auth/device',
  deviceDecision: '/auth/device/decision',
  token: '/auth/token',
  revoke: '/auth/revoke',
  userinfo: '/auth/userinfo',
  introspect: '/auth/introspect',
  logout: '/auth/logout',
  logoutDecision: '/auth/logout/decision',
  jwks: '/auth/jwks',
  data: '/api/data',
  metadata: '/.well-known/oauth-authorization-server',
  discovery: '/.well-known/openid-configuration',
  /** Metadata of a resource (RFC 9728 section 3). The path of the resource follows. */
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const;

/** Path of the metadata of the lab's resource (RFC 9728 section 3.1). */
export const DATA_METADATA_PATH = `${LAB_PATHS.resourceMetadata}${LAB_PATHS.data}`;

/**
 * Endpoints that clients in a browser call, from any origin and without cookies. The authorization endpoint never
 * belongs here.
 */
export const CALLED_BY_SCRIPTS: ReadonlySet<string> = new Set([
  LAB_PATHS.par,
  LAB_PATHS.deviceAuthorization,
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

/** CORS headers of every answer of these endpoints (Fetch standard, section 3.2). */
export const CROSS_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [...EXPOSED_HEADERS, 'Sluice-Lab-Off', 'Sluice-Lab-Waived'].join(', '),
} as const;

/** Grant type of devices without a browser (RFC 8628 section 3.4). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export const COMPARISON_PATH = '/auth/compare';

/** A second service for which the lab issues tokens. `/api/data` rejects them, unless audiences are not validated. */
export const OTHER_SERVICE = 'https://another-service.example/';

/** Grant type of a token exchange, and the only type of token that the lab exchanges (RFC 8693 sections 2.1 and 3). */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';

/** Audience of `/api/data`. */
export const RESOURCE_AUDIENCE = 'resource-server';

/**
 * Lists the names of the lab's own resources, as audiences and as `resource`: that of the data, its URL, and the
 * origin.
 */
export const ownResources = (origin: string): readonly string[] => [
  RESOURCE_AUDIENCE,
  origin + LAB_PATHS.data,
  origin,
  `${origin}/`,
];
