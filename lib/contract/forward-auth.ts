import { z } from 'zod';
import { capitalize } from '@/lib/capitalize';
import { RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { object, resource } from '@/lib/contract/resource';

const shared = {
  tag: 'Decisions',
  servedBy: 'decision-api',
  headers: z.object({
    'X-Forwarded-Method': z.string().optional().describe('Method of the original request.'),
    'X-Forwarded-Uri': z.string().optional().describe('Its path; a query is ignored.'),
    'X-Forwarded-For': z.string().optional().describe('Its client, found from the right past trusted proxies.'),
    'X-API-Key': z.string().optional().describe("The client's API key, forwarded."),
  }),
  response: {
    status: 200,
    description: 'The request may pass. Every header is present, empty if it has no value.',
    headers: {
      'X-RateLimit-Limit': 'The tightest limit.',
      'X-RateLimit-Remaining': 'Of the tightest limit.',
      'X-RateLimit-Reset': 'Unix seconds.',
      'X-RateLimit-Status': '`bypassed` or `degraded`.',
      'X-Quota-Limit': 'With an API key.',
      'X-Quota-Remaining': 'With an API key.',
      'X-Quota-Reset': 'Unix seconds, with an API key.',
      'X-RateLimit-Refund-Id': 'With `refundable=true`, or `X-RateLimit-Counts`.',
      'X-RateLimit-Counts':
        '`failures` or `successes`, where a route rule counts only these: `POST /v1/refund` gives back the others.',
    },
  },
  otherResponses: {
    '403': {
      description: 'Every refusal, with `proxy=nginx`.',
      headers: { 'X-RL-Status': 'The status of the refusal.', 'X-RL-Body': 'Its body.' },
    },
  },
  errors: ['invalid_request', ...RefusalCodeSchema.options],
} as const;

const forReverseProxy = resource('/v1/forward-auth', {
  ...shared,
  // Other parameters are ignored, because some proxies append the query of their client.
  query: object('ForwardAuthQuery', {
    proxy: z
      .enum(['nginx'])
      .optional()
      .describe('`nginx`: a refusal is 403, with its status in `X-RL-Status` and its body in `X-RL-Body`.'),
    refundable: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: `X-RateLimit-Refund-Id` holds the `id` for `POST /v1/refund`, empty if there is none.'),
  }),
});

export const forwardAuth = forReverseProxy.get('forwardAuth', 'decide', {
  summary: 'Decide for a reverse proxy',
  description:
    'For nginx `auth_request`, Caddy `forward_auth` and Traefik ForwardAuth: 200 lets the request pass; forward any other answer to the client.',
});

export const forwardAuthByPost = forReverseProxy.post('forwardAuthByPost', 'decide', {
  summary: 'Decide for a reverse proxy, by POST',
});

const forEnvoy = resource('/v1/forward-auth/envoy/{path}', {
  ...shared,
  description:
    'Envoy appends the path of the original request to its own prefix and keeps the method; both determine the decision.',
  params: z.strictObject({ path: z.string().describe('The path of the original request, slashes included.') }),
});

/** Envoy keeps the method of the original request, so there is one operation per method. */
export const envoyAuthorizations = (['get', 'post', 'put', 'patch', 'delete'] as const).map((method) => {
  const suffix = method === 'get' ? '' : `By${capitalize(method)}`;
  return forEnvoy[method](`envoyAuthorization${suffix}`, 'decide', {
    summary: `Decide for Envoy${method === 'get' ? '' : `, for a request by ${method.toUpperCase()}`}`,
    example: { params: { path: method === 'get' || method === 'post' ? 'api/orders' : 'api/orders/7' } },
  });
});
