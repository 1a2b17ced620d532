import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminTokens } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { listQuotas } from '@/lib/admin/keys/list-quotas';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { hashSecret } from '@/lib/auth/secret-hash';
import { parseAddress } from '@/lib/limiter/address';
import {
  type BadBody,
  COMPRESSED,
  NOT_AN_OBJECT,
  NOT_JSON,
  OTHER_TYPES,
  TOO_MUCH,
  withUnknownMember,
} from '@/tests/fixtures/bad-bodies';
import {
  NOT_ADDRESSES,
  NOT_CLASSES,
  NOT_EXPIRIES,
  NOT_REASONS,
  NOT_TEXTS,
  NOT_TYPES,
  NOT_USER_IDS,
  NOT_UUIDS,
  UNKNOWN_UUIDS,
} from '@/tests/fixtures/bad-values';
import { type Answer, type CallOptions, call } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';
import { stateOf } from '@/tests/fixtures/state-of';

const STATUS: Record<string, number> = {
  bad_request: 400,
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
};

let process: TestServices;
let keyId: string;
let state: string;
const ROLES = ['viewer', 'operator', 'gateway'] as const;

beforeAll(async () => {
  process = await testServices();
  const { services } = process;
  keyId = (await call(services, createApiKey, { body: { name: 'present', tier: 'starter' } })).json.id;
  await call(services, addAllowlistEntry, { body: ENTRY });
  await call(services, addAllowlistEntry, {
    body: { ...ENTRY, identifier: 'expired', type: 'user_id', expires_at: '2026-11-20T12:00:00.001Z' },
  });
  await call(services, putOverride, { body: OVERRIDE });
  await services.engine.decide({ method: 'GET', path: '/', address: parseAddress('10.0.0.2'), requestId: null });
  process.clock.advance(1);
  for (const role of ROLES) {
    const token = {
      id: role,
      name: role,
      role,
      prefix: role,
      tokenHash: hashSecret(`slt_${role}`),
      createdAt: 0,
      createdBy: 'x',
      revision: 0,
    };
    await services.database.drizzle.insert(adminTokens).values(token);
  }
  state = await stateOf(services);
});
afterAll(() => process[Symbol.dispose]());

const ENTRY = { type: 'ip', identifier: '10.0.0.1', reason: 'office' };
const TARGET = { type: 'ip', identifier: '10.0.0.1' };
const OVERRIDE = { ...ENTRY, class: 'read', limit: 5, window_seconds: 60 };

/** Words of the API itself, which an answer may name. */
const OWN_WORDS = new Set([
  'ip',
  'user_id',
  'null',
  'auth',
  'Type',
  'type',
  'type ',
  'free',
  'read',
  'string',
  'starter',
  'user',
]);

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...stringsIn(inner),
  ]);
}

/** What the caller sent that must not come back, in any form. */
function sentTexts(options: CallOptions): string[] {
  const { raw, body, query, params } = options;
  const texts = [...stringsIn(body), ...stringsIn(params), ...(typeof raw === 'string' ? ['marker', raw] : [])];
  for (const [name, value] of new URLSearchParams(query)) texts.push(name, value);
  return texts.filter((text) => text.length >= 4 && !OWN_WORDS.has(text) && !KNOWN_NAMES.has(text));
}
const KNOWN_NAMES = new Set([
  'identifier',
  'reason',
  'expires_at',
  'class',
  'tier',
  'limit',
  'cursor',
  'status',
  'api_key',
  'grace_seconds',
  'window_seconds',
  '10.0.0.1',
  'office',
]);

function expectRefusal(answer: Answer, error: string, options: CallOptions): void {
  expect([answer.status, answer.json?.error]).toEqual([STATUS[error], error]);
  const names = Object.keys(answer.json).sort();
  expect(names).toEqual(
    error === 'invalid_request' && 'details' in answer.json
      ? ['details', 'error', 'error_description']
      : ['error', 'error_description'],
  );
  expect(answer.json.error_description).toMatch(/^[A-Z].*\.$/s);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  for (const sent of sentTexts(options)) expect(answer.text).not.toContain(JSON.stringify(sent).slice(1, -1));
}

async function expectRefused(
  operation: Parameters<typeof call>[1],
  options: CallOptions,
  error: string,
): Promise<void> {
  const [, parameter] = /\{(\w+)\}/.exec(operation.path) ?? [];
  const params = options.params ?? (parameter === undefined ? {} : { [parameter]: keyId });
  const answer = await call(process.services, operation, { ...options, params });
  expectRefusal(answer, error, options);
  expect(await stateOf(process.services)).toBe(state);
}

const BODY_OPERATIONS = [
  ['adding an allowlist entry', addAllowlistEntry, ENTRY, true],
  ['removing an allowlist entry', removeAllowlistEntry, TARGET, true],
  ['resetting counters', resetCounters, TARGET, true],
  ['resetting a quota', resetQuota, {}, false],
  ['changing a tier', changeTier, { tier: 'free' }, true],
  ['creating a key', createApiKey, { name: 'new', tier: 'free' }, true],
  ['editing a key', updateApiKey, { name: 'new' }, true],
  ['rotating a key', rotateApiKey, {}, false],
  ['changing policies', patchPolicies, { tiers: { free: 1 } }, true],
  ['setting an override', putOverride, OVERRIDE, true],
  ['removing an override', removeOverride, { ...TARGET, class: 'read' }, true],
] as const;

describe.each(BODY_OPERATIONS)('%s', (_, operation, valid, required) => {
  const bodies: BadBody[] = [
    ...NOT_JSON,
    ...OTHER_TYPES,
    ...COMPRESSED,
    ...TOO_MUCH,
    ...NOT_AN_OBJECT,
    ...withUnknownMember(valid),
  ];

  test.each(bodies.map((body) => [body.name, body] as const))(
    'refuses a body %s',
    async (_name, { raw, headers, error }) => {
      await expectRefused(operation, headers === undefined ? { raw } : { raw, headers }, error);
    },
  );

  if (required) {
    test('refuses to go without a body', async () => {
      await expectRefused(operation, {}, 'bad_request');
      await expectRefused(operation, { raw: '' }, 'bad_request');
    });
  }

  test('refuses query parameters', async () => {
    await expectRefused(operation, { body: valid, query: 'colour=marker' }, 'invalid_request');
  });

  test('refuses callers without credentials, with wrong ones and without the role', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${btoa('marker:marker')}`, 'Bearer a b']) {
      await expectRefused(operation, { body: valid, headers: { Authorization: authorization } }, 'unauthorized');
    }
    for (const role of operation.access === 'owner' ? ROLES : (['viewer', 'gateway'] as const)) {
      await expectRefused(operation, { body: valid, headers: { Authorization: `Bearer slt_${role}` } }, 'forbidden');
    }
  });

  test('refuses other methods and says which there are', async () => {
    const method = operation.method === 'PATCH' ? 'DELETE' : 'PATCH';
    const answer = await call(process.services, operation, { method });
    expectRefusal(answer, 'method_not_allowed', {});
    expect(answer.headers.get('allow')).toContain(operation.method);
  });
});

test.each([...NOT_JSON, ...OTHER_TYPES, ...COMPRESSED, ...TOO_MUCH].map((body) => [body.name, body] as const))(
  'replacing route rules refuses a body %s',
  async (_, { raw, headers, error }) => {
    await expectRefused(replaceRouteRules, headers === undefined ? { raw } : { raw, headers }, error);
  },
);

const show = (value: unknown) => (value === undefined ? 'undefined' : JSON.stringify(value).slice(0, 40));
const cases = (values: readonly unknown[]) => values.map((value) => [show(value), value] as const);

describe.each([
  ['adding an allowlist entry', addAllowlistEntry, ENTRY],
  ['removing an allowlist entry', removeAllowlistEntry, TARGET],
  ['resetting counters', resetCounters, TARGET],
] as const)('%s', (_, operation, valid) => {
  test.each(cases(NOT_TYPES))('refuses the type %s', (_name, type) =>
    expectRefused(operation, { body: { ...valid, type } }, 'invalid_request'),
  );
  test.each(cases([...NOT_ADDRESSES, ...NOT_TEXTS]))('refuses the address %s', (_name, identifier) =>
    expectRefused(operation, { body: { ...valid, identifier } }, 'invalid_request'),
  );
  test.each(cases([...NOT_USER_IDS, ...NOT_TEXTS]))('refuses the user id %s', (_name, identifier) =>
    expectRefused(operation, { body: { ...valid, type: 'user_id', identifier } }, 'invalid_request'),
  );
});

describe('adding an allowlist entry', () => {
  test.each(cases(NOT_REASONS))('refuses the reason %s', (_, reason) =>
    expectRefused(addAllowlistEntry, { body: { ...ENTRY, reason } }, 'invalid_request'),
  );
  test.each(cases(NOT_EXPIRIES))('refuses the expiry %s', (_, expires_at) =>
    expectRefused(addAllowlistEntry, { body: { ...ENTRY, expires_at } }, 'invalid_request'),
  );

  test('names every wrong field', async () => {
    const { json } = await call(process.services, addAllowlistEntry, {
      body: { type: 'IP', reason: '', expires_at: 'soon' },
    });
    expect(json.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'expires_at',
      'identifier',
      'reason',
      'type',
    ]);
  });
});

describe('removing an allowlist entry', () => {
  test.each([
    ['of another type', { type: 'user_id', identifier: '10.0.0.1' }],
    ['of a range around it', { type: 'ip', identifier: '10.0.0.0/24' }],
    ['that was never there', { type: 'ip', identifier: '10.0.0.3' }],
    ['that has expired', { type: 'user_id', identifier: 'expired' }],
  ])('answers not_found for one %s', (_, body) => expectRefused(removeAllowlistEntry, { body }, 'not_found'));
});

describe('resetting counters', () => {
  test.each(cases(NOT_CLASSES))('refuses the class %s', (_, value) =>
    expectRefused(resetCounters, { body: { ...TARGET, class: value } }, 'invalid_request'),
  );
});

describe.each([
  ['reading a quota', getQuota, {}],
  ['resetting a quota', resetQuota, {}],
  ['changing a tier', changeTier, { body: { tier: 'free' } }],
] as const)('%s', (_, operation, options) => {
  test.each(cases(NOT_UUIDS))('refuses the key %s', (_name, api_key) =>
    expectRefused(operation, { ...options, params: { api_key: api_key as string } }, 'invalid_request'),
  );
  test.each(cases(UNKNOWN_UUIDS))('answers not_found for the key %s', (_name, api_key) =>
    expectRefused(operation, { ...options, params: { api_key: api_key as string } }, 'not_found'),
  );
  test('refuses the secret of a key in place of its uuid', () =>
    expectRefused(
      operation,
      { ...options, params: { api_key: 'slk_0123456789abcdef0123456789abcdef0123456789a' } },
      'invalid_request',
    ));
});

describe('resetting a quota', () => {
  test.each(cases([null, 1, [], {}, 'x'.repeat(501), '🦆'.repeat(501), 'a\0b', '\ud800']))(
    'refuses the reason %s',
    (_, reason) => expectRefused(resetQuota, { body: { reason } }, 'invalid_request'),
  );
});

describe('changing a tier', () => {
  test.each(
    cases([undefined, null, '', 'Free', 'FREE', 'free ', 'toString', '__proto__', 'gold', 0, 1000, true, ['free'], {}]),
  )('refuses the tier %s', (_, tier) => expectRefused(changeTier, { body: { tier } }, 'invalid_request'));
});

describe.each([
  ['listing the allowlist', listAllowlist],
  ['listing quotas', listQuotas],
] as const)('%s', (_, operation) => {
  test.each([
    'unknown=marker',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1001',
    'limit=١',
    'limit=',
    'limit=5&limit=5',
    'cursor=',
    'cursor=!!!!',
    'cursor=bnVsbA',
    '__proto__=marker',
    'constructor=marker',
    'limit=5&'.repeat(2_000),
  ])('refuses ?%s', (query) => expectRefused(operation, { query }, 'invalid_request'));
});

test('what is right is still taken after all of this', async () => {
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ]) {
    const answer = await call(process.services, addAllowlistEntry, { body: ENTRY, headers: { 'Content-Type': type } });
    expect(answer.status).toBe(200);
  }
  expect(await stateOf(process.services)).not.toBe(state);
});
