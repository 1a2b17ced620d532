import { URLPattern } from 'urlpattern-polyfill';
import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/schemas/enumerations';

/** Most rules there can be. */
export const MAX_ROUTE_RULES = 1_000;
/** Most that one request can weigh. */
export const MAX_COST = 1_000;
const MAX_PATH = 1_024;

const METHODS = ['*', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function compiles(path: string): boolean {
  try {
    return new URLPattern({ pathname: path }).pathname !== '';
  } catch {
    return false;
  }
}

/** Which class the requests of a route belong to, and what they weigh. */
export const RouteRuleSchema = z
  .strictObject({
    method: z.enum(METHODS).describe('`*` is every method; `GET` is also `HEAD`.'),
    path: z
      .string()
      .max(MAX_PATH, `must have at most ${MAX_PATH} characters`)
      .refine(
        (path) => (path.startsWith('/') || path === '*') && compiles(path),
        'must be the pathname of a URLPattern',
      )
      .describe('The pathname of a URLPattern, for example `/api/reports/:id` or `/api/*`.')
      .meta({ example: '/api/reports/*' }),
    class: EndpointClassSchema,
    cost: z
      .int('must be a whole number')
      .min(1)
      .max(MAX_COST)
      .optional()
      .describe(`What one request weighs, 1 to ${MAX_COST}; 1 when absent.`),
  })
  .meta({ id: 'RouteRule' });

/** All rules, in order: the first that matches decides. */
export const RouteRulesSchema = z
  .array(RouteRuleSchema)
  .max(MAX_ROUTE_RULES, `must be at most ${MAX_ROUTE_RULES} rules`)
  .meta({ id: 'RouteRules' });

export type RouteRules = z.infer<typeof RouteRulesSchema>;
