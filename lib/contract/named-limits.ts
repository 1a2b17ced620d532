import { z } from 'zod';
import { managedMark } from '@/lib/contract/fields/managed';
import { LimitName, limitPatchFields, newLimitFields, StoredNamedLimitSchema } from '@/lib/contract/fields/named-limit';
import { count, created, declareNoContent, declarePatch, input, json, ok, resource } from '@/lib/contract/resource';

interface Limited {
  windows: readonly unknown[];
  in_flight?: unknown;
}

/** Rejects a limit that limits nothing. */
function refineLimit({ windows, in_flight: inFlight }: Limited, context: z.core.$RefinementCtx<unknown>): void {
  if (windows.length > 0 || inFlight != null) return;
  context.addIssue({ code: 'custom', path: ['windows'], message: 'must be 1 to 4 windows, unless in_flight is given' });
}

const NamedLimitSchema = StoredNamedLimitSchema.extend({
  used_by: z
    .object({ route_rules: count, api_keys: count, overrides: count })
    .describe('How many route rules name it, and how many API keys and active overrides have numbers of their own.'),
  ...managedMark,
}).meta({ id: 'NamedLimitInUse' });
/** A limit with a name, for anything that is counted. */
export type NamedLimit = z.infer<typeof NamedLimitSchema>;

export const NewNamedLimit = input('NewNamedLimit', { name: LimitName, ...newLimitFields }).superRefine(refineLimit);
export type NewNamedLimit = z.output<typeof NewNamedLimit>;

const limits = resource('/v1/admin/limits', { tag: 'Limits' });
const params = z.strictObject({ name: LimitName });
const limit = resource('/v1/admin/limits/{name}', { tag: 'Limits', params, example: { params: { name: 'sms' } } });

export const listLimits = limits.get('listLimits', 'viewer', {
  command: 'limits list',
  summary: 'List the named limits',
  description: 'All of them, sorted by name. The limits of the endpoint classes are in the policies.',
  response: ok('The named limits.', z.array(NamedLimitSchema)),
});

const EXAMPLE = {
  name: 'sms',
  description: 'Codes by text message, for each phone number',
  windows: [
    { limit: 1, seconds: 30 },
    { limit: 5, seconds: 3_600 },
  ],
};

export const createLimit = limits.post('createLimit', 'owner', {
  command: 'limits create',
  reason: 'query',
  summary: 'Create a named limit',
  description:
    'Limits anything that is counted: `POST /v1/check` names it with a subject, and a route rule can. All of its windows hold at once. A limit that is removed and created again starts at zero.',
  body: json(NewNamedLimit),
  example: { body: EXAMPLE },
  response: created('The limit, in force.', NamedLimitSchema, { Location: 'The new limit.' }),
  errors: ['conflict'],
  idempotent: true,
});

export const getLimit = limit.get('getLimit', 'viewer', {
  command: 'limits get',
  summary: 'Read a named limit',
  response: ok('The limit.', NamedLimitSchema, { ETag: 'For `If-Match` of a change.' }),
  errors: ['not_found'],
});

export const updateLimit = limit.patch('updateLimit', 'owner', {
  command: 'limits update',
  reason: 'query',
  summary: 'Change a named limit',
  description:
    'Absent members stay unchanged; `windows`, `in_flight` and `tiers` are replaced whole. A window of the same length keeps its counts, another one starts empty. What was reserved before can still be settled.',
  body: declarePatch(input('NamedLimitPatch', limitPatchFields)),
  example: { body: { windows: EXAMPLE.windows } },
  response: ok('The limit, in force.', NamedLimitSchema, { ETag: 'For `If-Match` of the next change.' }),
  conditional: true,
  errors: ['not_found'],
});

export const removeLimit = limit.delete('removeLimit', 'owner', {
  command: 'limits remove',
  reason: 'query',
  summary: 'Remove a named limit',
  description:
    'Checks that name it are refused with 400 from then on, and route rules that name it count without it. Numbers of API keys and overrides stay without effect until a limit of this name is created again, or the removal is undone. A preview says how many route rules, API keys and overrides name it.',
  response: declareNoContent('The limit is removed.'),
  conditional: true,
  errors: ['not_found'],
});
