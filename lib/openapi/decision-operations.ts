import { z } from 'zod';
import { CheckBatchSchema, CheckResultSchema, CheckResultsSchema, CheckSchema } from '@/lib/contract/check';
import { ForwardAuthQuery } from '@/lib/contract/forward-auth';
import { MAX_BATCH_BYTES } from '@/lib/enforcement/decision-api/answer-decision-call';
import type { DescribedOperation } from '@/lib/openapi/described-operation';

const tag = 'Decisions';

const ForwardedHeaders = z.object({
  'X-Forwarded-Method': z.string().optional().describe('Method of the request that the proxy asks about.'),
  'X-Forwarded-Uri': z.string().optional().describe('Its path; a query is left out.'),
  'X-Forwarded-For': z.string().optional().describe('Its client, walked from the right over trusted proxies.'),
  'X-API-Key': z.string().optional().describe("The client's API key, passed on."),
});

const forwardAuth = {
  tag,
  access: 'decide',
  query: ForwardAuthQuery,
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
} as const satisfies Partial<DescribedOperation>;

const ENVOY_DESCRIPTION =
  'Envoy appends the path of the original request to its own prefix, and keeps its method; both are what is decided about.';

const ENVOY_IDS = {
  GET: 'envoyAuthorization',
  POST: 'envoyAuthorizationByPost',
  PUT: 'envoyAuthorizationByPut',
  PATCH: 'envoyAuthorizationByPatch',
  DELETE: 'envoyAuthorizationByDelete',
} as const;

/** The decision API (contract, section 4). It is answered before `endpoint`, so it is described here. */
export const DECISION_OPERATIONS: readonly DescribedOperation[] = [
  {
    id: 'check',
    method: 'POST',
    path: '/v1/check',
    tag,
    summary: 'Decide one request',
    description: 'Answers 200 whether the request is allowed or not; `allowed` says it. An allowed request is counted.',
    access: 'decide',
    body: { schema: CheckSchema, required: true },
    response: { status: 200, description: 'The decision.', schema: CheckResultSchema },
    errors: ['invalid_request', 'service_unavailable'],
  },
  {
    id: 'checkBatch',
    method: 'POST',
    path: '/v1/check/batch',
    tag,
    summary: 'Decide up to 1,000 requests',
    description: 'Decided and answered in order, all in one transaction where the store allows it.',
    access: 'decide',
    body: { schema: CheckBatchSchema, required: true, limit: MAX_BATCH_BYTES },
    response: { status: 200, description: 'The decisions, in the order of the requests.', schema: CheckResultsSchema },
    errors: ['invalid_request', 'service_unavailable'],
  },
  {
    ...forwardAuth,
    id: 'forwardAuth',
    method: 'GET',
    path: '/v1/forward-auth',
    summary: 'Decide for a reverse proxy',
    description:
      'For nginx `auth_request`, Caddy `forward_auth` and Traefik ForwardAuth: 200 lets the request pass, everything else is meant for the client.',
  },
  {
    ...forwardAuth,
    id: 'forwardAuthByPost',
    method: 'POST',
    path: '/v1/forward-auth',
    summary: 'Decide for a reverse proxy, by POST',
  },
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
    (method): DescribedOperation => ({
      ...forwardAuth,
      id: ENVOY_IDS[method],
      method,
      path: '/v1/forward-auth/envoy/{path}',
      query: undefined,
      params: z.strictObject({ path: z.string().describe('The path of the original request, slashes included.') }),
      summary: `Decide for Envoy${method === 'GET' ? '' : `, for a request by ${method}`}`,
      description: ENVOY_DESCRIPTION,
    }),
  ),
];
