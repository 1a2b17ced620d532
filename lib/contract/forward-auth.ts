import { z } from 'zod';
import type { Contract } from '@/lib/contract/operation';

/** How a reverse proxy wants to be answered. Other parameters are passed over: some proxies append their client's query. */
export const ForwardAuthQuery = z
  .object({
    proxy: z
      .enum(['nginx'])
      .optional()
      .describe('`nginx`: a refusal is 403, with its status in `X-RL-Status` and its body in `X-RL-Body`.'),
  })
  .meta({ id: 'ForwardAuthQuery' });

const ForwardedHeaders = z.object({
  'X-Forwarded-Method': z.string().optional().describe('Method of the request that the proxy asks about.'),
  'X-Forwarded-Uri': z.string().optional().describe('Its path; a query is left out.'),
  'X-Forwarded-For': z.string().optional().describe('Its client, walked from the right over trusted proxies.'),
  'X-API-Key': z.string().optional().describe("The client's API key, passed on."),
});

const shared = {
  tag: 'Decisions',
  servedBy: 'decision-api',
  access: 'decide',
  headers: ForwardedHeaders,
  response: {
    status: 200,
    description: 'The request may pass. Every header is there, empty where it has no value.',
    headers: {
      'X-RateLimit-Limit': 'Of the tightest limit.',
      'X-RateLimit-Remaining': 'Of the tightest limit.',
      'X-RateLimit-Reset': 'Unix seconds.',
      'X-RateLimit-Status': '`bypassed` or `degraded`.',
      'X-Quota-Limit': 'With an API key.',
      'X-Quota-Remaining': 'With an API key.',
      'X-Quota-Reset': 'Unix seconds, with an API key.',
    },
  },
  otherResponses: {
    '403': {
      description: 'With `proxy=nginx` every refusal.',
      headers: { 'X-RL-Status': 'The status of the refusal.', 'X-RL-Body': 'Its body.' },
    },
  },
  errors: [
    'invalid_request',
    'invalid_api_key',
    'rate_limit_exceeded',
    'client_rate_limit_exceeded',
    'user_rate_limit_exceeded',
    'quota_exceeded',
    'service_unavailable',
  ],
} as const satisfies Partial<Contract>;

export const forwardAuth = {
  ...shared,
  id: 'forwardAuth',
  method: 'GET',
  path: '/v1/forward-auth',
  query: ForwardAuthQuery,
  summary: 'Decide for a reverse proxy',
  description:
    'For nginx `auth_request`, Caddy `forward_auth` and Traefik ForwardAuth: 200 lets the request pass, everything else is meant for the client.',
} as const satisfies Contract;

export const forwardAuthByPost = {
  ...shared,
  id: 'forwardAuthByPost',
  method: 'POST',
  path: '/v1/forward-auth',
  query: ForwardAuthQuery,
  summary: 'Decide for a reverse proxy, by POST',
} as const satisfies Contract;

const ENVOY_IDS = {
  GET: 'envoyAuthorization',
  POST: 'envoyAuthorizationByPost',
  PUT: 'envoyAuthorizationByPut',
  PATCH: 'envoyAuthorizationByPatch',
  DELETE: 'envoyAuthorizationByDelete',
} as const;

/** Envoy keeps the method of the original request, so there is one for each. */
export const envoyAuthorizations: readonly Contract[] = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
  (method) => ({
    ...shared,
    id: ENVOY_IDS[method],
    method,
    path: '/v1/forward-auth/envoy/{path}',
    params: z.strictObject({ path: z.string().describe('The path of the original request, slashes included.') }),
    summary: `Decide for Envoy${method === 'GET' ? '' : `, for a request by ${method}`}`,
    description:
      'Envoy appends the path of the original request to its own prefix, and keeps its method; both are what is decided about.',
    example: { params: { path: method === 'GET' || method === 'POST' ? 'api/orders' : 'api/orders/7' } },
  }),
);
