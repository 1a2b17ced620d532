import { z } from 'zod';
import { ClientTypeSchema, EndpointClassSchema, RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { UserIdInput } from '@/lib/contract/fields/identifier';
import { MAX_COST } from '@/lib/contract/fields/max-cost';
import {
  LimitCost,
  LimitName,
  LimitStateSchema,
  LimitSubject,
  LONGEST_HOLD,
  MOST_LIMITS,
  SETTLE_WITHIN,
} from '@/lib/contract/fields/named-limit';
import { count, json, object, ok, resource } from '@/lib/contract/resource';
import { getMaxBodyBytes } from '@/lib/http/body-limits';
import { parseAddress } from '@/lib/limiter/address';

export const MAX_CHECKS = 1_000;
/** Length of the longest path. The head of a request, which Node limits to 16 KiB, has no longer one. */
export const MAX_PATH = 16_384;

const CheckedLimit = z
  .strictObject({
    name: LimitName,
    subject: LimitSubject.optional().describe(
      'What the limit is counted for: 1 to 256 characters. May be left out with an API key, which is then the subject.',
    ),
    cost: LimitCost.optional(),
  })
  .meta({ id: 'CheckedLimit' });

/** Fields that describe a request which the caller serves itself. */
export const checkFields = {
  class: EndpointClassSchema.optional().describe(
    'The endpoint class. If absent, `method` and `path` are required, and route rules and defaults determine the class.',
  ),
  method: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,31}$/, 'must be an HTTP method')
    .toUpperCase()
    .optional()
    .describe('The HTTP method. If `class` is given, it is only recorded in the decision log.')
    .meta({ example: 'GET' }),
  path: z
    .string()
    .max(MAX_PATH, `must have at most ${MAX_PATH} characters`)
    .startsWith('/', 'must start with a slash')
    .optional()
    .describe(
      'The path; anything from `?` on is ignored. If `class` is given, it is only recorded in the decision log.',
    )
    .meta({ example: '/api/reports/7' }),
  ip: z
    .string()
    .refine((text) => parseAddress(text) !== null, 'must be an IP address')
    .optional()
    .describe(
      'IPv4 or IPv6 address of the client, without port, brackets and zone; IPv6 is counted by /64, and an address that embeds an IPv4 address (IPv4-mapped, NAT64, 6to4, Teredo) as that.',
    )
    .meta({ example: '203.0.113.7' }),
  user_id: UserIdInput.optional().describe('The user, verified by the caller.'),
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 visible ASCII characters')
    .optional()
    .describe(
      "The key's secret as the client presented it, or the key's uuid when the caller has verified the key itself. " +
        'A UUID proves nothing: never forward one sent by a client.',
    ),
  client_id: UserIdInput.optional().describe('An OAuth client. It cannot be combined with `api_key`.'),
  client_type: ClientTypeSchema.optional().describe('Of `client_id`; `public` when absent.'),
  cost: z
    .int()
    .min(1)
    .max(MAX_COST)
    .optional()
    .describe(`Cost of the request, 1 to ${MAX_COST}; if absent, that of the route rule, or 1.`),
  preflight: z
    .boolean()
    .optional()
    .describe(
      'Whether the request is a CORS preflight: `OPTIONS` with `Origin` and `Access-Control-Request-Method`. It counts only if the policy `count_preflights` is true.',
    ),
  refundable: z
    .boolean()
    .optional()
    .describe(
      'Whether an answer that allows carries an `id`, by which `POST /v1/refund` gives back what was consumed.',
    ),
  limits: z
    .array(CheckedLimit)
    .min(1, 'must not be empty')
    .max(MOST_LIMITS, `must be at most ${MOST_LIMITS} limits`)
    .optional()
    .describe(
      'Named limits. All of them and the class admit the request, or none counts it. Without `class`, `method` and `path` only they decide.',
    ),
  settle: z
    .boolean()
    .optional()
    .describe(
      'Whether an answer that allows carries an `id`, by which `POST /v1/settle` replaces the costs of `limits` by what was really used.',
    ),
  settle_within: z
    .int()
    .min(1)
    .max(LONGEST_HOLD)
    .optional()
    .describe(`Seconds in which it can be settled, 1 to ${LONGEST_HOLD}; default ${SETTLE_WITHIN}.`),
};

type CheckFields = z.output<z.ZodObject<typeof checkFields>>;

/**
 * Rejects fields that contradict each other, or are incomplete. @param identified whether fields outside of
 * `checkFields` identify the caller
 */
export function refineCheck(check: CheckFields, context: z.core.$RefinementCtx<unknown>, identified = false): void {
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const hasLimitsOnly = check.limits !== undefined && check.method === undefined && check.path === undefined;
  if (check.class === undefined && !hasLimitsOnly) {
    if (check.method === undefined) issue('method', 'is required without class');
    if (check.path === undefined) issue('path', 'is required without class');
  }
  refineLimits(check, context, identified);
  if (check.api_key !== undefined && check.client_id !== undefined)
    issue('client_id', 'cannot be combined with api_key');
  if (check.client_type !== undefined && check.client_id === undefined) issue('client_type', 'requires client_id');
  if (check.preflight === true && check.method !== 'OPTIONS') issue('preflight', 'requires the method OPTIONS');
  const subjects = [check.ip, check.user_id, check.api_key, check.client_id];
  const isDecidedByClass = check.class !== undefined || !hasLimitsOnly;
  if (!identified && isDecidedByClass && subjects.every((subject) => subject === undefined)) {
    issue('ip', 'is required without user_id, api_key and client_id');
  }
}

function refineLimits(check: CheckFields, context: z.core.$RefinementCtx<unknown>, identified: boolean): void {
  const issue = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  const { limits, settle = false, settle_within: within, api_key: apiKey } = check;
  if (settle && limits === undefined) issue(['limits'], 'is required with settle');
  if (within !== undefined && limits === undefined) issue(['settle_within'], 'requires limits');
  const named = new Set<string>();
  for (const [index, { name, subject }] of (limits ?? []).entries()) {
    if (subject === undefined && apiKey === undefined && !identified)
      issue(['limits', index, 'subject'], 'is required without api_key');
    const thing = JSON.stringify([name, subject]);
    if (named.has(thing)) issue(['limits', index], 'names a limit and a subject for the second time');
    named.add(thing);
  }
}

/** A request that the caller serves itself, described for a decision. */
export const CheckSchema = z
  .strictObject(checkFields)
  .superRefine((check, context) => refineCheck(check, context))
  .meta({ id: 'Check' });
export type Check = z.infer<typeof CheckSchema>;

export const CheckBatchSchema = z
  .array(CheckSchema)
  .max(MAX_CHECKS, `must be at most ${MAX_CHECKS} checks`)
  .meta({ id: 'CheckBatch' });

const unixSeconds = count.describe('Unix seconds: when the full limit is available again if no more requests come.');

export const CheckResultSchema = object('CheckResult', {
  allowed: z.boolean(),
  status: z
    .enum(['bypassed', 'degraded', 'observing', 'adjusted', 'read_only'])
    .optional()
    .describe(
      '`bypassed`: an allowlist entry applies. `degraded`: decided by this instance alone, the store is down. Else of an incident: `observing`, `adjusted`, `read_only`.',
    ),
  class: EndpointClassSchema.nullable().describe('Null if only named limits decided.'),
  id: z
    .string()
    .optional()
    .describe(
      'With `refundable`, `settle` or `counts`, or for places in flight, of a request that is allowed. Absent when `degraded`: only one instance counted it.',
    ),
  counts: z
    .enum(['failures', 'successes'])
    .optional()
    .describe('From the route rule: refund the request once it is answered, unless its status is one of these.'),
  error: RefusalCodeSchema.optional().describe(
    'Reason for the refusal. Respond with 429, or 401 for `invalid_api_key`, 503 for `service_unavailable`.',
  ),
  error_description: z.string().optional(),
  limit_name: z.string().optional().describe('The named limit that refused.'),
  limits: z.array(LimitStateSchema).optional().describe('State of each named limit: of its tightest window.'),
  would_refuse: RefusalCodeSchema.optional().describe('Why, had an incident not let it through.'),
  limit: count.nullable().describe('The tightest limit checked. Null if none was, for example for a bypass.'),
  remaining: count.nullable(),
  reset: unixSeconds.nullable(),
  retry_after: z.int().min(1).optional().describe('Seconds until one such request is admitted.'),
  quota: z
    .object({ limit: count, remaining: count, reset: unixSeconds })
    .optional()
    .describe('The monthly quota of the API key.'),
});
export type CheckResult = z.infer<typeof CheckResultSchema>;

const decisionApi = { tag: 'Decisions', servedBy: 'decision-api', errors: ['service_unavailable'] } as const;

export const check = resource('/v1/check', decisionApi).post('check', 'decide', {
  command: 'check',
  summary: 'Decide one request',
  description: 'Answers 200 for both outcomes; see `allowed`. An allowed request is counted.',
  body: json(CheckSchema),
  example: { body: { class: 'read', ip: '203.0.113.7', user_id: 'alice' } },
  response: ok('The decision.', CheckResultSchema),
});

export const checkBatch = resource('/v1/check/batch', decisionApi).post('checkBatch', 'decide', {
  command: 'check-batch',
  summary: 'Decide up to 1,000 requests',
  description: 'Decided and answered in order, in one transaction if the store supports it.',
  body: { ...json(CheckBatchSchema), limit: getMaxBodyBytes('/v1/check/batch') },
  example: {
    body: [
      { class: 'read', ip: '203.0.113.7' },
      { method: 'POST', path: '/api/orders', user_id: 'alice' },
    ],
  },
  response: ok('The decisions, in the order of the requests.', z.array(CheckResultSchema).meta({ id: 'CheckResults' })),
});
