import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { promoteCandidate } from '@/lib/admin/candidates/promote';
import { promoteCandidateRules } from '@/lib/admin/candidates/rules/promote';
import { setCandidateRules } from '@/lib/admin/candidates/rules/set';
import { setCandidate } from '@/lib/admin/candidates/set';
import { addGrant } from '@/lib/admin/grants/add';
import { removeGrant } from '@/lib/admin/grants/remove';
import { endIncident } from '@/lib/admin/incident/end';
import { setIncident } from '@/lib/admin/incident/set';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { updateApiKey } from '@/lib/admin/keys/update';
import { createLimit } from '@/lib/admin/named-limits/create';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { updateLimit } from '@/lib/admin/named-limits/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { dryRunPolicies } from '@/lib/admin/policies/dry-run';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { planState } from '@/lib/admin/state/plan';
import { undoChange } from '@/lib/admin/undo/undo';
import { AUDIT_ACTIONS, type AuditAction } from '@/lib/contract/audit-actions';
import type { Operation } from '@/lib/operation/operation';
import { type CallOptions, call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

/** Costs 20 in the class `write`; the lowest limit that it meets is 30, of public clients. */
const RULE = { method: 'POST', path: '/exports', class: 'write', cost: 20 };
/** Also costs 7 under `sms`, where 10 an hour are allowed. */
const NAMED = { ...RULE, limits: [{ name: 'sms', subject: 'ip', cost: 7 }] };
const hourly = (limit: number) => [{ limit, seconds: 3_600 }];
const SMS = { name: 'sms', windows: hourly(10) };
const writes = (limit: number) => ({ classes: { write: { ip: { limit, window_seconds: 60 } } } });
const reason = 'For the test';
const IP = { type: 'ip', identifier: '192.0.2.1' };
const override = (limit: number) => ({ ...IP, class: 'write', limit, window_seconds: 60, reason });
const PHONE = { type: 'subject', identifier: '+41790000000', limit_name: 'sms' };
const until = () => new Date(here.clock.now + 3_600_000).toISOString();
const factor = (value: number) => ({ mode: 'factor', factor: value, until: until(), reason });

/** Makes a change, as the bootstrap owner. */
async function make(operation: Operation, body?: unknown, options: CallOptions = {}) {
  const answer = await call(here.services, operation, { body, ...options });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

type Change = [operation: Operation, body?: unknown, options?: CallOptions];
type Step = () => Promise<unknown>;
/** Its action in the audit log (or what else shows it), what it changes, its warning, what comes before, the change. */
type Case = [
  action: AuditAction | 'dry run' | 'state',
  what: string,
  warning: string | null,
  readonly Step[],
  () => Change,
];

/** The key of the running test, and the last thing that a step has made. */
let key = '';
let made = '';
const step =
  (...change: Change): Step =>
  async () => {
    made = (await make(...change)).json?.id ?? '';
  };
const limit: Change = [createLimit, SMS];
const rule = step(replaceRouteRules, [RULE]);
const named: Step = async () => {
  await make(...limit);
  await make(replaceRouteRules, [NAMED]);
};
const policy = (patch: unknown) => step(patchPolicies, patch);
const start =
  (value: number): Step =>
  async () =>
    make(setIncident, factor(value));
const newKey =
  (fields: object = {}): Step =>
  async () => {
    key = (await make(createApiKey, { name: 'Exports', tier: 'starter', ...fields })).json.id;
  };
const editKey = (edit: unknown): Change => [updateApiKey, edit, { params: { id: key } }];
const own =
  (value: number): Step =>
  async () =>
    make(...editKey({ limits: { sms: hourly(value) } }));
const grant: Step = async () => step(addGrant, { api_key: key, requests: 10, until: until(), reason })();
const sms = (edit: unknown): Change => [updateLimit, edit, { params: { name: 'sms' } }];
const rules = (...all: unknown[]): Change => [replaceRouteRules, all];
const document = (sections: object, query = {}): Change => [planState, { version: 1, ...sections }, { query }];
const pruned = (sections: object) => document(sections, { prune: 'true' });

const costs = (value: number, ceiling: number) => `POST /exports costs ${value}, the limit is ${ceiling}`;
const costsSms = (ceiling: number, value = 7) => `POST /exports costs ${value} under sms, the limit is ${ceiling}`;

const RULES: Case[] = [
  ['route_rules.replace', 'a cost above the policy', costs(51, 30), [], () => rules({ ...RULE, cost: 51 })],
  ['route_rules.replace', 'a cost below it', null, [], () => rules(RULE)],
  ['route_rules.replace', 'above an override', costs(20, 5), [step(putOverride, override(5))], () => rules(RULE)],
  [
    ...(['route_rules.replace', 'above an override of a user', costs(20, 6)] as const),
    [step(putOverride, { ...override(6), type: 'user_id', identifier: 'alice' })],
    () => rules(RULE),
  ],
  [
    ...(['route_rules.replace', 'above a named limit', costsSms(10, 11), [step(...limit)]] as const),
    () => rules({ ...RULE, limits: [{ name: 'sms', subject: 'ip', cost: 11 }] }),
  ],
  ['route_rules.replace', 'above a key', costsSms(4), [step(...limit), newKey(), own(4)], () => rules(NAMED)],
  [
    ...(['route_rules.replace', 'above a subject', costsSms(3)] as const),
    [step(...limit), step(putOverride, { ...PHONE, windows: hourly(3), reason })],
    () => rules(NAMED),
  ],
  ['route_rules.replace', 'in an incident', costs(20, 15), [start(0.5)], () => rules(RULE)],
  [
    ...(['candidate_rules.promote', 'above the policy', costs(60, 30)] as const),
    [step(setCandidateRules, { rules: [{ ...RULE, cost: 60 }], reason })],
    () => [promoteCandidateRules, {}],
  ],
];

const POLICIES: Case[] = [
  ['policies.update', 'of an address', costs(20, 19), [rule], () => [patchPolicies, writes(19)]],
  ['policies.update', 'of a quota', costs(20, 18), [rule], () => [patchPolicies, { tiers: { free: 18 } }]],
  ['policies.update', 'of a rate', costs(20, 17), [rule], () => [patchPolicies, { tier_rates: { starter: 17 } }]],
  [
    'policies.update',
    'of a client',
    costs(20, 9),
    [rule],
    () => [patchPolicies, { clients: { public: { limit: 9 } } }],
  ],
  ['policies.update', 'in an incident', costs(20, 19), [rule, start(0.7)], () => [patchPolicies, writes(28)]],
  ['policies.update', 'that closes a class', null, [rule], () => [patchPolicies, writes(0)]],
  ['dry run', 'of policies', costs(20, 19), [rule], () => [dryRunPolicies, writes(19)]],
  ['dry run', 'of policies that admit all', null, [rule], () => [dryRunPolicies, writes(20)]],
  [
    ...(['candidate.promote', 'of a class', costs(20, 12)] as const),
    [rule, step(setCandidate, { place: 'classes.write.ip', limit: 12, window_seconds: 60, reason })],
    () => [promoteCandidate, { place: 'classes.write.ip' }],
  ],
  [
    ...(['candidate.promote', 'of a named limit', costsSms(2)] as const),
    [named, step(setCandidate, { place: 'limits.sms', windows: hourly(2), reason })],
    () => [promoteCandidate, { place: 'limits.sms' }],
  ],
  ['incident.start', 'for a class', costs(20, 3), [rule], () => [setIncident, factor(0.1)]],
  ['incident.start', 'for a named limit', costsSms(6), [named], () => [setIncident, factor(0.67)]],
  [
    ...(['incident.start', 'for an override', costs(20, 17), [rule, step(putOverride, override(25))]] as const),
    () => [setIncident, factor(0.7)],
  ],
  ['incident.start', 'that admits all', null, [rule], () => [setIncident, factor(0.7)]],
  [
    ...(['incident.start', 'that refuses nothing', null, [rule, policy(writes(10))]] as const),
    () => [setIncident, { mode: 'observe', until: until(), reason }],
  ],
  ['incident.change', 'to a smaller factor', costs(20, 9), [rule, start(0.7)], () => [setIncident, factor(0.3)]],
  ['incident.end', 'after more was allowed', costs(20, 10), [rule, start(3), policy(writes(10))], () => [endIncident]],
];

const EXEMPTIONS: Case[] = [
  ['override.set', 'of a class', costs(20, 5), [rule], () => [putOverride, override(5)]],
  ['override.set', 'of another class', null, [rule], () => [putOverride, { ...override(5), class: 'read' }]],
  [
    'override.set',
    'of a named limit',
    costsSms(6),
    [named],
    () => [putOverride, { ...PHONE, windows: hourly(6), reason }],
  ],
  [
    ...(['override.replace', 'in an incident', costs(20, 19)] as const),
    [rule, step(putOverride, override(500)), start(0.7)],
    () => [putOverride, override(28)],
  ],
  [
    ...(['override.remove', 'above the policy', costs(20, 10)] as const),
    [rule, step(putOverride, override(500)), policy(writes(10))],
    () => [removeOverride, { ...IP, class: 'write' }],
  ],
  [
    ...(['override.remove', 'within a wider one that admits all', null] as const),
    [rule, step(putOverride, override(500)), step(putOverride, { ...override(400), identifier: '192.0.2.0/24' })],
    () => [removeOverride, { ...IP, class: 'write' }],
  ],
  [
    ...(['override.remove', 'of a named limit', costsSms(5)] as const),
    [
      named,
      step(putOverride, { ...PHONE, windows: hourly(50), reason }),
      async () => make(...sms({ windows: hourly(5) })),
    ],
    () => [removeOverride, PHONE],
  ],
  [
    ...(['allowlist.remove', 'below a policy', costs(20, 10)] as const),
    [rule, step(addAllowlistEntry, { ...IP, reason }), policy(writes(10))],
    () => [removeAllowlistEntry, IP],
  ],
  [
    ...(['allowlist.replace', 'with an earlier end', costs(20, 10)] as const),
    [rule, step(addAllowlistEntry, { ...IP, reason }), policy(writes(10))],
    () => [addAllowlistEntry, { ...IP, expires_at: until(), reason }],
  ],
];

const drop = step(removeLimit, undefined, { params: { name: 'sms' } });
const NAMED_LIMITS: Case[] = [
  [
    'limit.create',
    'that a rule names',
    costsSms(6),
    [named, drop],
    () => [createLimit, { ...SMS, windows: hourly(6) }],
  ],
  ['limit.create', 'that a key has numbers of', costsSms(4), [named, newKey(), own(4), drop], () => limit],
  ['limit.update', 'of its windows', costsSms(6), [named], () => sms({ windows: hourly(6) })],
  ['limit.update', 'of a tier', costsSms(5), [named], () => sms({ tiers: { free: hourly(5) } })],
  ['limit.update', 'in an incident', costsSms(6), [named, start(0.75)], () => sms({ windows: hourly(9) })],
  ['limit.update', 'of its description', null, [named], () => sms({ description: 'Codes' })],
];

const toFree: () => Change = () => [changeTier, { tier: 'free' }, { params: { api_key: key } }];
const smsOf =
  (tier: string, value: number): Step =>
  async () =>
    make(...sms({ tiers: { [tier]: hourly(value) } }));
const small = policy({ tiers: { starter: 12 } });
const KEYS: Case[] = [
  [
    'api_key.create',
    'in a small tier',
    costs(20, 12),
    [rule, small],
    () => [createApiKey, { name: 'A', tier: 'starter' }],
  ],
  ['api_key.update', 'of its numbers', costsSms(5), [named, newKey()], () => editKey({ limits: { sms: hourly(5) } })],
  [
    ...(['api_key.update', 'back to its tier', costsSms(3), [named, newKey(), own(50), smsOf('starter', 3)]] as const),
    () => editKey({ limits: { sms: null } }),
  ],
  [
    ...(['api_key.update', 'that ends overage', costs(20, 12)] as const),
    [rule, newKey({ overage_allowed: true }), small],
    () => editKey({ overage_allowed: false }),
  ],
  [
    ...(['api_key.update', 'of its client type', costs(20, 11)] as const),
    [rule, newKey({ client_type: 'confidential' }), policy({ clients: { public: { limit: 11 } } })],
    () => editKey({ client_type: 'public' }),
  ],
  ['api_key.update', 'of its name', null, [rule, newKey(), small], () => editKey({ name: 'Other' })],
  ['quota.tier', 'by quota', costs(20, 12), [rule, newKey(), policy({ tiers: { free: 12 } })], toFree],
  ['quota.tier', 'by rate', costs(20, 13), [rule, newKey(), policy({ tier_rates: { free: 13 } })], toFree],
  ['quota.tier', 'by a named limit', costsSms(4), [named, newKey(), smsOf('free', 4)], toFree],
  ['quota.tier', 'that admits all', null, [rule, newKey()], toFree],
  [
    'grant.remove',
    'of a small quota',
    costs(20, 12),
    [rule, small, newKey(), grant],
    () => [removeGrant, { id: made }],
  ],
];

const STATE: Case[] = [
  ['state', 'policies', costs(20, 19), [rule], () => document({ policies: writes(19) })],
  ['state', 'rules', costs(60, 30), [], () => document({ route_rules: [{ ...RULE, cost: 60 }] })],
  [
    'state',
    'above an override',
    costs(20, 5),
    [step(putOverride, override(5))],
    () => document({ route_rules: [RULE] }),
  ],
  [
    ...(['state', 'above an override that it removes', null, [step(putOverride, override(5))]] as const),
    () => pruned({ route_rules: [RULE], overrides: [] }),
  ],
  [
    'state',
    'a limit and a rule',
    costsSms(5),
    [],
    () => document({ limits: [{ ...SMS, windows: hourly(5) }], route_rules: [NAMED] }),
  ],
  ['state', 'a limit', costsSms(5), [named], () => document({ limits: [{ ...SMS, windows: hourly(5) }] })],
  ['state', 'an override', costs(20, 5), [rule], () => document({ overrides: [override(5)] })],
  [
    'state',
    'a subject',
    costsSms(5),
    [named],
    () => document({ overrides: [{ ...PHONE, windows: hourly(5), reason }] }),
  ],
  [
    ...(['state', 'the end of an override', costs(20, 10)] as const),
    [rule, step(putOverride, override(500)), policy(writes(10))],
    () => pruned({ overrides: [] }),
  ],
  [
    ...(['state', 'the end of an allowlist entry', costs(20, 10)] as const),
    [rule, step(addAllowlistEntry, { ...IP, reason }), policy(writes(10))],
    () => pruned({ allowlist: [] }),
  ],
  [
    ...(['state', 'a tier', costs(20, 12), [rule, newKey(), policy({ tiers: { free: 12 } })]] as const),
    () => document({ api_keys: [{ name: 'Exports', tier: 'free' }] }),
  ],
  [
    ...(['state', 'numbers of a key', costsSms(5), [named]] as const),
    () => document({ api_keys: [{ name: 'Exports', tier: 'free', limits: { sms: hourly(5) } }] }),
  ],
  ['state', 'the end of a grant', costs(20, 12), [rule, small, newKey(), grant], () => pruned({ grants: [] })],
];

const CASES = [...RULES, ...POLICIES, ...EXEMPTIONS, ...NAMED_LIMITS, ...KEYS, ...STATE];

/** Kinds of changes that make no cost unpayable. */
const OTHERS = [
  // They allow more.
  ...['allowlist.add', 'grant.add', 'limit.remove'],
  // They only count.
  ...['candidate.set', 'candidate.replace', 'candidate.remove'],
  ...['candidate_rules.set', 'candidate_rules.replace', 'candidate_rules.remove'],
  // They change no limit.
  ...['counters.reset', 'quota.reset', 'quota.threshold', 'api_key.rotate', 'api_key.revoke', 'state.release'],
];
const OTHER_RESOURCES =
  /^(?:token|member|sign_in|alerts?|webhook|assessment|finding|oauth_request|counter_store|database)\./;

describe('a change that makes a cost unpayable is warned of', () => {
  it.each(CASES)('%s: %s', async (action, _, warning, steps, change) => {
    for (const prepare of steps) await prepare();
    const [operation, body, { query = {}, ...options } = {}] = change();
    const isPreview = action !== 'dry run' && action !== 'state';
    const preview = isPreview ? { query: { dry_run: 'true' } } : { query };
    const { json } = await make(operation, body, { ...options, ...preview });
    const changes: { action: string; effect?: string }[] = json.changes ?? [];
    if (isPreview) expect(changes.map((each) => each.action)).toContain(action);
    const told = [json.warning ?? '', ...changes.map(({ effect = '' }) => effect)].join(' ');
    if (warning === null) expect(told).not.toContain('Warning');
    else expect(told).toContain(warning);
  });

  it('so is an undo that does', async () => {
    await policy(writes(10))();
    const raised = await make(patchPolicies, writes(50));
    await rule();
    const params = { seq: raised.headers.get('x-audit-seq') ?? '' };
    const { json } = await make(undoChange, undefined, { params, query: { dry_run: 'true' } });
    expect(json.changes[0].effect).toContain(costs(20, 10));
  });

  it('every kind of change is tried, or makes no cost unpayable', () => {
    const tried = new Set<string>(CASES.map(([action]) => action));
    const left = AUDIT_ACTIONS.filter((action) => !tried.has(action) && !OTHER_RESOURCES.test(action));
    expect(left.toSorted()).toEqual(OTHERS.toSorted());
  });
});
