import { z } from 'zod';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, object, ok, resource } from '@/lib/contract/resource';

const tag = 'Observability';

const done = z.boolean();

const FirstStepsSchema = object('FirstSteps', {
  since: TimestampSchema.describe('The first record of the audit log.'),
  connect: z.object({
    done: done.describe('An upstream is set, or a token of the role `gateway` was used.'),
    upstream: z.string().nullable().describe('The origin in `SLUICE_UPSTREAM`.'),
    gateway_tokens: count.describe('Tokens of the role `gateway` that are not revoked.'),
  }),
  request: z.object({
    done: done.describe(
      'At least one decision on a request of the classes `sensitive`, `read` or `write`, or from the decision API. Sign-ins to the dashboard and the OAuth lab do not complete the step.',
    ),
    decisions: count.describe(
      'All decisions, with those on sign-ins, as the statistics count them; 0 until the step is done.',
    ),
  }),
  key: z.object({ done: done.describe('There is an API key.') }),
  limit: z.object({ done: done.describe('A policy, a route rule or an override was changed.') }),
  invite: z.object({ done: done.describe('There is more than one member.') }),
});
export type FirstSteps = z.infer<typeof FirstStepsSchema>;

export const readFirstSteps = resource('/v1/admin/first-steps', { tag }).get('readFirstSteps', 'viewer', {
  command: 'setup steps',
  summary: 'Read which first steps of an installation are done',
  description:
    'Steps count by stored data, regardless of who did them. Counts lag about a second behind the decisions.',
  response: ok('The steps.', FirstStepsSchema),
});

export const GATEWAYS = ['nginx', 'caddy', 'haproxy', 'apache', 'traefik', 'envoy'] as const;
export type Gateway = (typeof GATEWAYS)[number];

/** Placeholder for the token of the gateway in a configuration. */
export const TOKEN_PLACEHOLDER = 'YOUR_GATEWAY_TOKEN';

const GatewayRecipeSchema = object('GatewayRecipe', {
  gateway: z.enum(GATEWAYS),
  address: z.string().describe('Where the gateway reaches Sluice: the host and port of this origin.'),
  files: z
    .array(z.object({ name: z.string(), text: z.string() }))
    .describe('The configuration of `docs/gateways`, with the address filled in. The token is not.'),
  token_in: z
    .enum(['text', 'environment'])
    .describe(
      `Where the token belongs: in place of \`${TOKEN_PLACEHOLDER}\`, or in the environment as \`SLUICE_TOKEN\`.`,
    ),
  tested: z.boolean().describe('Whether the tests of Sluice run this gateway with it.'),
});
export type GatewayRecipe = z.infer<typeof GatewayRecipeSchema>;

export const readGatewayRecipe = resource('/v1/admin/gateways/{gateway}', {
  tag,
  params: z.strictObject({ gateway: z.enum(GATEWAYS, `must be one of ${GATEWAYS.join(', ')}`) }),
}).get('readGatewayRecipe', 'viewer', {
  command: 'setup gateway',
  summary: 'Read the configuration of a gateway for this installation',
  example: { params: { gateway: 'nginx' } },
  response: ok('The configuration.', GatewayRecipeSchema),
});
