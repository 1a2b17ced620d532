import { z } from 'zod';
import {
  CandidatePlaceSchema,
  StoredCandidateRulesSchema,
  StoredCandidateSchema,
  splitPlace,
} from '@/lib/contract/fields/candidate';
import { StoredNamedLimitSchema } from '@/lib/contract/fields/named-limit';
import { numbersFields, numbersInput, refineNumbers } from '@/lib/contract/fields/numbers';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { TimestampInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { LimitSchema, PoliciesSchema } from '@/lib/contract/policies';
import { count, declareNoContent, input, json, object, ok, reasonParameter, resource } from '@/lib/contract/resource';
import { RouteRulesSchema, StoredRouteRulesSchema } from '@/lib/contract/route-rules';

/** Maximum number of identifiers in the result of a candidate. */
export const LISTED_IDENTIFIERS = 10;

const CandidateIdentifier = object('CandidateIdentifier', {
  identifier: z.string(),
  api_key_name: z.string().nullable().describe('Name of the API key, if the identifier is one.'),
  would_refuse: count,
  would_allow: count,
  first_at: TimestampSchema.describe('Time of the first request that the candidate would have decided otherwise.'),
  last_at: TimestampSchema,
});

/** Counts of a candidate. */
const counted = {
  requests: count.describe('Requests that it has decided. Those of the last second may be missing.'),
  would_refuse: count.describe('Allowed requests that it would have refused.'),
  would_allow: count.describe('Refused requests that it would have allowed.'),
  identifiers: count.describe(
    'Number of identifiers whose requests it would have decided otherwise; at most 10,000 are counted.',
  ),
  first: CandidateIdentifier.nullable().describe(
    'The identifier of the first request that it would have decided otherwise.',
  ),
  top: z
    .array(CandidateIdentifier)
    .describe(`The ${LISTED_IDENTIFIERS} identifiers that it would have refused or allowed most often.`),
};

const CandidateSchema = object('Candidate', {
  ...StoredCandidateSchema.shape,
  live: z
    .object(numbersFields)
    .nullable()
    .describe('The limit in force that it shadows. Null if that named limit was removed.'),
  ...counted,
});
/** Numbers that shadow those of a policy limit or a named limit, and only count. */
export type CandidateLimit = z.infer<typeof CandidateSchema>;

const candidates = resource('/v1/admin/candidates', { tag: 'Candidates' });

export const listCandidates = candidates.get('listCandidates', 'viewer', {
  command: 'candidates list',
  summary: 'List candidate limits with what they would have decided',
  description: 'At most one for each limit of the policies, in their order, and for each named limit.',
  response: ok('All candidates.', z.array(CandidateSchema)),
});

export const setCandidate = candidates.put('setCandidate', 'owner', {
  command: 'candidates set',
  reason: 'body',
  summary: 'Try a limit without enforcing it',
  description:
    'The candidate counts from the next decision on, in the same transaction as the live limits, and refuses no request. It has separate counters, which start empty, so its counts are representative after one window. It sees every request that reaches the limit that it shadows, also those that another limit refuses. It sees none of identifiers with an override, and none that bypass. Another candidate for the same limit replaces it and starts empty. A candidate of a named limit (`limits.sms`) has `windows`, `in_flight` or both, for what the limit has itself. It sees none of the subjects, keys and tiers that have their own numbers. A settlement settles it, too.',
  body: json(
    input('NewCandidate', {
      place: CandidatePlaceSchema,
      ...numbersInput,
      ends_at: TimestampInput.nullish().describe('When it ends, at most 90 days ahead; null means never.'),
      reason: ReasonSchema,
    }).superRefine((body, context) => refineNumbers(body, splitPlace(body.place).group === 'limits', context)),
  ),
  example: {
    body: { place: 'classes.read.ip', limit: 60, window_seconds: 60, reason: 'Is 60 a minute enough for everyone?' },
  },
  response: ok('It counts.', CandidateSchema),
});

export const removeCandidate = candidates.delete('removeCandidate', 'owner', {
  command: 'candidates remove',
  reason: 'query',
  summary: 'Remove a candidate limit',
  body: json(input('CandidateToRemove', { place: CandidatePlaceSchema })),
  example: { body: { place: 'classes.read.ip' } },
  response: declareNoContent('It has stopped counting.'),
  errors: ['not_found'],
});

export const promoteCandidate = resource('/v1/admin/candidates/promote', { tag: 'Candidates' }).post(
  'promoteCandidate',
  'owner',
  {
    command: 'candidates promote',
    summary: 'Make a candidate the live limit',
    description:
      'Changes the policies or the named limit, and removes the candidate, as one change. The live limit keeps its counts if the window stays the same; a window of a different length starts empty. Answers 409 if the candidate does not have this `id`, `limit` and `window_seconds`.',
    reason: 'body',
    body: json(
      input('CandidateToPromote', {
        place: CandidatePlaceSchema,
        id: z.string().optional().describe('The id as it was read.'),
        limit: LimitSchema.shape.limit.optional().describe('The limit as it was read.'),
        window_seconds: LimitSchema.shape.window_seconds.optional().describe('The window as it was read.'),
        ...reasonParameter,
      }),
    ),
    example: { body: { place: 'classes.read.ip', reason: 'It would have refused no caller for a week' } },
    response: ok('The policies in force, or the named limit.', z.union([PoliciesSchema, StoredNamedLimitSchema])),
    errors: ['not_found', 'conflict'],
  },
);

const CandidateRulesSchema = object('CandidateRules', { ...StoredCandidateRulesSchema.shape, ...counted });
/** Route rules that shadow the applied ones and only count. */
export type CandidateRules = z.infer<typeof CandidateRulesSchema>;

const rules = resource('/v1/admin/candidates/route-rules', { tag: 'Candidates' });

export const getCandidateRules = rules.get('getCandidateRules', 'viewer', {
  command: 'candidates get-rules',
  summary: 'Read the candidate route rules with what they would have decided',
  description: 'Null while none are tried.',
  response: ok('The candidate route rules, or null.', CandidateRulesSchema.nullable()),
});

export const setCandidateRules = rules.put('setCandidateRules', 'owner', {
  command: 'candidates set-rules',
  reason: 'body',
  summary: 'Try route rules without enforcing them',
  description:
    'The body holds all rules, as they would replace those in force. From the next decision on, every limited request is also decided by the class and the cost that they give it, in the same transaction as the live limits, and they refuse no request. They have counters of their own, which start empty. Monthly quotas and named limits are not tried. A refund applies to both. Other candidate rules replace these and start empty.',
  body: json(
    input('NewCandidateRules', {
      rules: RouteRulesSchema,
      ends_at: TimestampInput.nullish().describe(
        'When they end by themselves, at most 90 days ahead; null means never.',
      ),
      reason: ReasonSchema,
    }),
  ),
  example: {
    body: {
      rules: [{ method: 'POST', path: '/api/transfers', class: 'sensitive', cost: 5 }],
      reason: 'Can transfers cost more?',
    },
  },
  response: ok('They count.', CandidateRulesSchema),
});

export const removeCandidateRules = rules.delete('removeCandidateRules', 'owner', {
  command: 'candidates remove-rules',
  reason: 'query',
  summary: 'Remove the candidate route rules',
  response: declareNoContent('They have stopped counting.'),
  errors: ['not_found'],
});

export const promoteCandidateRules = resource('/v1/admin/candidates/route-rules/promote', { tag: 'Candidates' }).post(
  'promoteCandidateRules',
  'owner',
  {
    command: 'candidates promote-rules',
    summary: 'Make the candidate route rules the live ones',
    description:
      'Replaces the route rules and removes the candidate, as one change. Answers 409 if the candidate does not have this `id`.',
    reason: 'body',
    body: json(
      input('CandidateRulesToPromote', {
        id: StoredCandidateRulesSchema.shape.id.optional().describe('The id as it was read.'),
        ...reasonParameter,
      }),
    ),
    example: { body: { reason: 'They refused no caller for a week' } },
    response: ok('The route rules in force.', StoredRouteRulesSchema),
    errors: ['not_found', 'conflict'],
  },
);
