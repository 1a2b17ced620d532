import { z } from 'zod';
import { AlertSettingsSchema, AlertsState } from '@/lib/contract/alerts';
import { ClientTypeSchema, IdentifierTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, UserIdInput, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { MonthStartsOn } from '@/lib/contract/fields/month-starts-on';
import { KeyLimitsSchema, newLimitFields } from '@/lib/contract/fields/named-limit';
import { newOverrideFields, parseWholeOverride, storedOverrideFields } from '@/lib/contract/fields/override';
import { DisplayName, ReasonSchema } from '@/lib/contract/fields/text';
import { TimestampInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { GrantRequests } from '@/lib/contract/grants';
import { NewNamedLimit } from '@/lib/contract/named-limits';
import { PoliciesPatch, PoliciesSchema } from '@/lib/contract/policies';
import { count, input, json, object, ok, reasonParameter, resource } from '@/lib/contract/resource';
import { RouteRulesSchema, StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { STATE_KINDS } from '@/lib/contract/state-release';
import { getMaxBodyBytes } from '@/lib/http/body-limits';

const expiry = TimestampInput.nullish().describe(
  'At most 10 years ahead; null or absent means never. An entry whose time has passed is ignored.',
);

const AllowlistState = z
  .strictObject({ ...identifierFields, reason: ReasonSchema, expires_at: expiry })
  .transform(withCanonicalIdentifier)
  .meta({ id: 'AllowlistState' });
export type AllowlistState = z.output<typeof AllowlistState>;

const OverrideState = z
  .strictObject({ ...newOverrideFields, expires_at: expiry })
  .transform(parseWholeOverride)
  .meta({ id: 'OverrideState' });
export type OverrideState = z.output<typeof OverrideState>;

const ApiKeyState = input('ApiKeyState', {
  name: DisplayName.describe('Identifies the key in a document. Another name is another key.'),
  tier: QuotaTierSchema,
  client_type: ClientTypeSchema.default('confidential'),
  user_id: UserIdInput.nullable().default(null).describe('The owner: the user that requests with this key count for.'),
  overage_allowed: z.boolean().default(false).describe('Only with tier `starter` and above.'),
  month_starts_on: MonthStartsOn.default(1).describe('The day on which the months of its quota begin.'),
  limits: KeyLimitsSchema.default({}),
  expires_at: expiry,
});
export type ApiKeyState = z.output<typeof ApiKeyState>;

const GrantState = input('GrantState', {
  api_key: DisplayName.describe('The name of the key.'),
  requests: GrantRequests,
  until: TimestampInput.describe('At most 10 years ahead. A grant whose time has passed is ignored.'),
  reason: ReasonSchema,
});
export type GrantState = z.output<typeof GrantState>;

/** All rules in one document. A missing section stays unchanged. */
export const StateDocumentSchema = input('StateDocument', {
  $schema: z.string().max(2_048).optional().describe('Where this schema is, for editors.'),
  version: z.literal(1, 'must be 1'),
  policies: PoliciesPatch.optional().describe('Limits; limits that are not named stay unchanged.'),
  limits: z.array(NewNamedLimit).optional().describe('Named limits, by name.'),
  route_rules: RouteRulesSchema.optional().describe('All route rules, in order: the first match decides.'),
  api_keys: z.array(ApiKeyState).optional().describe('API keys by name, without secrets.'),
  grants: z.array(GrantState).optional(),
  allowlist: z.array(AllowlistState).optional(),
  overrides: z.array(OverrideState).optional(),
  alerts: AlertsState.optional().describe(
    'Alert settings. Missing kinds of alerts stay unchanged. Missing members of a kind take the values of a fresh installation.',
  ),
});
export type StateDocument = z.output<typeof StateDocumentSchema>;

const expiresAt = TimestampSchema.nullable().describe('Null means never.');

const StateSchema = object('State', {
  version: z.literal(1),
  policies: PoliciesSchema,
  limits: z.array(object('NamedLimitState', { name: z.string(), ...newLimitFields })),
  route_rules: StoredRouteRulesSchema,
  api_keys: z.array(
    object('ApiKeyStateNow', {
      name: z.string(),
      tier: QuotaTierSchema,
      client_type: ClientTypeSchema,
      user_id: z.string().nullable(),
      overage_allowed: z.boolean(),
      month_starts_on: count,
      limits: KeyLimitsSchema.optional(),
      expires_at: expiresAt,
    }),
  ),
  grants: z.array(
    object('GrantStateNow', { api_key: z.string(), requests: count, until: TimestampSchema, reason: z.string() }),
  ),
  allowlist: z.array(
    object('AllowlistStateNow', {
      type: IdentifierTypeSchema,
      identifier: z.string(),
      reason: z.string(),
      expires_at: expiresAt,
    }),
  ),
  overrides: z.array(
    object('OverrideStateNow', {
      ...storedOverrideFields,
      reason: z.string(),
      expires_at: expiresAt,
    }),
  ),
  alerts: AlertSettingsSchema,
});
export type RulesState = z.infer<typeof StateSchema>;

const StateChangeSchema = object('StateChange', {
  action: z.enum(['create', 'update', 'delete']),
  kind: z.enum(STATE_KINDS).describe('The section of the document.'),
  id: z
    .string()
    .describe(
      'What it changes: the name of a key (of a grant its key) or of a limit, type and identifier of an entry, `policies`.',
    ),
  before: z.unknown().describe('As the document has it; null if it creates.'),
  after: z.unknown().describe('As the document has it; null if it deletes.'),
  effect: z.string().optional().describe('Who would be hit, in a sentence, where that can be said.'),
});
export type StateChange = z.infer<typeof StateChangeSchema>;

const revision = z.int().min(0).describe('The number of the newest audit record; in quotes, `If-Match` of the apply.');

const prune = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .describe('`true`: what a section that is there does not name is removed, and limits that it does not name go back.');

const state = resource('/v1/admin/state', { tag: 'State' });

export const readState = state.get('readState', 'viewer', {
  command: 'state pull',
  summary: 'Read the rules as one document',
  description:
    'What is active now, sorted: a document that `PUT` takes and that changes nothing. It holds no secrets, and neither counters, members nor tokens.',
  response: ok('The document.', StateSchema, { ETag: 'The revision, for `If-Match` of an apply.' }),
});

const EXAMPLE = {
  version: 1,
  allowlist: [{ type: 'ip', identifier: '203.0.113.0/24', reason: 'Office network' }],
  overrides: [
    {
      type: 'ip',
      identifier: '198.51.100.7',
      class: 'read',
      limit: 1000,
      window_seconds: 60,
      reason: 'Partner crawler',
    },
  ],
};

export const planState = resource('/v1/admin/state/plan', { tag: 'State' }).post('planState', 'viewer', {
  command: 'state plan',
  summary: 'Say what a document would change',
  description:
    'The changes that `PUT /v1/admin/state` would make, computed by the same code, in the order in which it would make them. Changes nothing.',
  query: z.strictObject({ prune }),
  body: { ...json(StateDocumentSchema), limit: getMaxBodyBytes('/v1/admin/state') },
  example: { body: EXAMPLE },
  response: ok('The changes.', object('StatePlan', { revision, changes: z.array(StateChangeSchema) })),
});

export const applyState = state.put('applyState', 'owner', {
  command: 'state apply',
  reason: 'query',
  summary: 'Make the rules what a document says',
  description:
    'All changes in one transaction, with an audit record for each under one request id; applying a document twice changes nothing. `If-Match` takes the `revision` of the plan in quotes: if anything was changed since, nothing is. Keys that do not exist are created, and `secrets` of this answer holds their secrets, this once. A name that is missing on purpose needs `prune`.',
  query: z.strictObject({ prune, ...reasonParameter }),
  body: { ...json(StateDocumentSchema), limit: getMaxBodyBytes('/v1/admin/state') },
  example: { body: EXAMPLE },
  response: ok(
    'The changes that were made.',
    object('StateApplied', {
      revision,
      changes: z.array(StateChangeSchema),
      secrets: z
        .array(z.object({ id: ApiKeyIdSchema, name: z.string(), secret: z.string() }))
        .describe('Of the keys that it created. Shown only once and stored hashed.'),
    }),
    { ETag: 'The new revision.' },
  ),
  conditional: true,
});

export const readStateSchema = resource('/v1/state.schema.json', { tag: 'State' }).get('readStateSchema', 'public', {
  command: 'state schema',
  summary: 'JSON Schema of a state document',
  description: 'For editors: `$schema` of a document in JSON, or the first line of one in YAML.',
  response: ok('JSON Schema 2020-12.', z.object({ $schema: z.string() }).loose(), {
    ETag: 'Changes with the schema.',
  }),
  otherResponses: { '304': { description: 'Unchanged since the given `If-None-Match`.' } },
});
