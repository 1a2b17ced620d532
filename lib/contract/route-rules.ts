import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { MANAGED_HEADERS } from '@/lib/contract/fields/managed';
import { MAX_COST } from '@/lib/contract/fields/max-cost';
import { LimitCost, LimitName, MOST_LIMITS } from '@/lib/contract/fields/named-limit';
import { input, json, ok, resource } from '@/lib/contract/resource';
import { PathPattern, PatternError } from '@/lib/http/path-pattern';
import { FORWARDED_METHODS } from '@/lib/http/request-methods';

const MAX_ROUTE_RULES = 1_000;
const MAX_PATH = 1_024;

const METHOD_FAULT = 'must be `*` or a registered HTTP method in upper case, without CONNECT and TRACE';

/** Returns the fault of a pattern, as a continuation of its name, or null if the pattern is valid. */
function findPatternFault(path: string): string | null {
  if (!path.startsWith('/') && path !== '*') return 'must start with a slash, or be `*`';
  try {
    new PathPattern(path);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** Kinds of requests that count, by the status of their answers: `failures` from 400 on, `successes` below. */
export const COUNTED = ['all', 'failures', 'successes'] as const;
export type Counted = (typeof COUNTED)[number];

const RuleLimit = input('RuleLimit', {
  name: LimitName,
  subject: z
    .union([z.enum(['ip', 'user', 'client']), z.string().regex(/^header:[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/)], {
      error: 'must be `ip`, `user`, `client` or `header:` and the name of a header in lower case',
    })
    .describe(
      'Whom it counts: the address (IPv6 by its /64), the user, the API key or client, or the value of a header (`header:<name>`). A request that has no such subject is not counted.',
    ),
  cost: LimitCost.optional(),
});
export type RuleLimit = z.output<typeof RuleLimit>;

/** Class and cost of the requests of a route. */
export const RouteRuleSchema = input('RouteRule', {
  method: z
    .enum(['*', ...FORWARDED_METHODS], { error: ({ input }) => (input === undefined ? undefined : METHOD_FAULT) })
    .describe('`*` matches every method; `GET` also matches `HEAD`.'),
  path: z
    .string()
    .max(MAX_PATH, `must have at most ${MAX_PATH} characters`)
    .superRefine((path, context) => {
      const fault = findPatternFault(path);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .describe(
      'Literal text with `*` (any characters) and `:name` (one or more characters but `/`), for example `/api/reports/:id` or `/api/*`. Matching ignores letter case. Groups and modifiers are not supported.',
    )
    .meta({ example: '/api/reports/*' }),
  class: EndpointClassSchema,
  cost: z
    .int(`must be a whole number from 1 to ${MAX_COST}`)
    .min(1)
    .max(MAX_COST)
    .optional()
    .describe(`Cost of one request, 1 to ${MAX_COST}; default 1.`),
  counts: z
    .enum(COUNTED)
    .optional()
    .describe(
      'Which requests count: `failures` are answered with a status from 400 on, `successes` below; default `all`. The others are refunded once they are answered: by Sluice for its upstream, by the adapters of `sluice/client`, or else by the caller, with `POST /v1/refund`.',
    ),
  limits: z
    .array(RuleLimit)
    .min(1, 'must not be empty')
    .max(MOST_LIMITS, `must be at most ${MOST_LIMITS} limits`)
    .superRefine((limits, context) => {
      const named = new Set<string>();
      for (const [index, { name, subject }] of limits.entries()) {
        const thing = `${name} ${subject}`;
        const message = 'names a limit and a subject for the second time';
        if (named.has(thing)) context.addIssue({ code: 'custom', path: [index], message });
        named.add(thing);
      }
    })
    .optional()
    .describe('Named limits that the request must also fit under.'),
});
export type RouteRule = z.infer<typeof RouteRuleSchema>;

/** All rules, in order. The first rule that matches decides. */
export const RouteRulesSchema = z
  .array(RouteRuleSchema)
  .max(MAX_ROUTE_RULES, `must be at most ${MAX_ROUTE_RULES} rules`)
  .meta({ id: 'RouteRules' });
export type RouteRules = z.infer<typeof RouteRulesSchema>;

/**
 * Stored rules, possibly of an earlier version. A path that is no longer a valid pattern is shown but matches nothing.
 */
export const StoredRouteRulesSchema = z
  .array(
    RouteRuleSchema.extend({
      path: z.string().describe('As it was stored. A rule whose path is no pattern is skipped.'),
    }).meta({ id: 'StoredRouteRule' }),
  )
  .meta({ id: 'StoredRouteRules' });

const routeRules = resource('/v1/admin/route-rules', { tag: 'Policies' });

export const getRouteRules = routeRules.get('getRouteRules', 'viewer', {
  command: 'routes get',
  summary: 'Read the route rules',
  description: 'In order: the first match decides. The defaults determine the class of requests that no rule matches.',
  response: ok('All rules.', StoredRouteRulesSchema, { ETag: 'For `If-Match` of a change.', ...MANAGED_HEADERS }),
});

export const replaceRouteRules = routeRules.put('replaceRouteRules', 'owner', {
  command: 'routes set',
  reason: 'query',
  summary: 'Replace the route rules',
  body: json(RouteRulesSchema),
  example: { body: [{ method: 'POST', path: '/api/transfers', class: 'sensitive', cost: 5 }] },
  response: ok('All rules.', StoredRouteRulesSchema, { ETag: 'For `If-Match` of the next change.' }),
  conditional: true,
});
