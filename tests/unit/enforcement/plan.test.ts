import { beforeEach, describe, expect, it } from 'vitest';
import { hashSecret } from '@/lib/auth/secret-hash';
import { DEFAULT_POLICIES, mergePatch } from '@/lib/contract/policies';
import { compileRule } from '@/lib/enforcement/classify';
import { type Facts, type Plan, plan } from '@/lib/enforcement/plan';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import { type KeyRecord, Rules } from '@/lib/enforcement/rules';
import { parseAddress, parseRange } from '@/lib/limiter/address';

const NOW = Date.UTC(2026, 10, 20, 12);
const ADDRESS = parseAddress('203.0.113.9');
const SECRET = 'slk_the-secret-of-a-key';

let rules: Rules;
beforeEach(() => {
  rules = new Rules(DEFAULT_POLICIES);
});

const facts = (more: Partial<Facts> = {}): Facts => ({
  method: 'GET',
  path: '/api/data',
  address: ADDRESS,
  requestId: null,
  ...more,
});

const key = (more: Partial<KeyRecord> = {}): KeyRecord => ({
  id: '3f1c2a8e-0d4b-4c6e-9a53-6f0f6f1f0a11',
  name: 'key',
  tier: 'starter',
  clientType: 'confidential',
  userId: null,
  overageAllowed: false,
  monthStartsOn: 1,
  monthShift: 0,
  secretHash: hashSecret(SECRET),
  previousSecretHash: null,
  previousSecretUntil: null,
  expiresAt: null,
  ...more,
});

const metersOf = (more: Partial<Facts> = {}) => plan(rules, facts(more), NOW).attempt.meters;
const listIdentifiers = ({ attempt }: Plan) => attempt.meters.map(({ identifier }) => identifier);
const listOrigins = ({ attempt }: Plan) => attempt.meters.map(({ origin: { kind, id, place } }) => [kind, id, place]);
const subjectsOf = (more: Partial<Facts> = {}) => metersOf(more).map(({ subject }) => subject);

describe('the class of a request', () => {
  it('is the one that the caller names, at a cost of 1', () => {
    rules.routeRules = [compileRule({ method: '*', path: '*', class: 'auth', cost: 9 })];
    expect(plan(rules, facts({ class: 'sensitive' }), NOW)).toMatchObject({ class: 'sensitive', attempt: { cost: 1 } });
  });

  it('is that of the route, at the cost of its rule unless the caller names one', () => {
    rules.routeRules = [compileRule({ method: 'GET', path: '/api/*', class: 'sensitive', cost: 5 })];
    expect(plan(rules, facts(), NOW)).toMatchObject({ class: 'sensitive', attempt: { cost: 5 } });
    expect(plan(rules, facts(), NOW).rule).toBe(0);
    expect(plan(rules, facts({ cost: 2 }), NOW).attempt.cost).toBe(2);
    expect(plan(rules, facts({ cost: 0 }), NOW).attempt.cost).toBe(0);
    expect(plan(rules, facts({ method: null, path: null }), NOW).class).toBe('read');
  });
});

describe('a request is measured', () => {
  it('by its address alone where nothing else is known', () => {
    expect(plan(rules, facts(), NOW)).toEqual({
      class: 'read',
      rule: null,
      counts: 'all',
      attempt: {
        meters: [
          {
            subject: 'ip',
            key: 'ip|203.0.113.9|read|60',
            limit: 100,
            window: { kind: 'sliding', seconds: 60 },
            identifier: '203.0.113.9',
            origin: { kind: 'policy', id: null, place: 'classes.read.ip' },
          },
        ],
        cost: 1,
      },
      trials: [],
      cost: 1,
      incident: null,
      closed: false,
      key: null,
      granted: 0,
      invalidKey: false,
      bypass: null,
      userId: null,
    });
  });

  it('by the /64 of an IPv6 address, and names the address', () => {
    const planned = plan(rules, facts({ address: parseAddress('2001:db8::7') }), NOW);
    expect(planned.attempt.meters[0]?.key).toBe('ip|2001:db8::/64|read|60');
    expect(listIdentifiers(planned)).toEqual(['2001:db8::7']);
  });

  it('together with all others whose address nobody attests', () => {
    const planned = plan(rules, facts({ address: null }), NOW);
    expect(planned.attempt.meters[0]?.key).toBe('ip|unknown|read|60');
    expect(listIdentifiers(planned)).toEqual(['unknown']);
    expect(subjectsOf({ address: undefined })).toEqual([]);
  });

  it('by address, client, user and quota, in this order', () => {
    rules.setKey(key({ userId: 'alice' }));
    const planned = plan(rules, facts({ apiKey: SECRET }), NOW);
    expect(planned.attempt.meters.map(({ subject, key: name, limit }) => [subject, name, limit])).toEqual([
      ['ip', 'ip|203.0.113.9|read|60', 100],
      ['client', 'client|3f1c2a8e-0d4b-4c6e-9a53-6f0f6f1f0a11|all|60', 100],
      ['user', 'user|alice|read|3600', 5000],
      ['quota', 'quota|3f1c2a8e-0d4b-4c6e-9a53-6f0f6f1f0a11|month', 10_000],
    ]);
    expect(planned.attempt.meters[3]?.window).toEqual({ kind: 'month' });
    expect(listIdentifiers(planned)).toEqual(['203.0.113.9', key().id, 'alice', key().id]);
    expect(planned).toMatchObject({ key: { id: key().id }, invalidKey: false, userId: 'alice' });
  });

  it('by the OAuth client where there is no key, by its type', () => {
    const client = (type: 'public' | 'confidential') => metersOf({ client: { id: 'demo', type } })[1];
    expect(client('public')).toMatchObject({ subject: 'client', key: 'client|demo|all|60', limit: 30 });
    expect(client('confidential')?.limit).toBe(100);
    rules.setKey(key({ clientType: 'public' }));
    const both = metersOf({ apiKeyId: key().id, client: { id: 'demo', type: 'confidential' } })[1];
    expect(both).toMatchObject({ key: `client|${key().id}|all|60`, limit: 30 });
  });

  it('by the rate of its tier, where that has one, in place of the limit of its client type', () => {
    const { policies } = rules;
    rules.setKey(key({ tier: 'free', clientType: 'public' }));
    rules.policies = mergePatch(policies, { tier_rates: { free: 300 } });
    const planned = plan(rules, facts({ apiKey: SECRET }), NOW);
    expect(planned.attempt.meters[1]).toMatchObject({ key: `client|${key().id}|all|60`, limit: 300 });
    expect(planned.attempt.meters[1]?.origin).toEqual({ kind: 'tier', id: 'free', place: 'tier_rates.free' });
    rules.setKey(key({ tier: 'starter', clientType: 'public' }));
    expect(metersOf({ apiKey: SECRET })[1]?.limit).toBe(30);
    expect(metersOf({ client: { id: 'demo', type: 'public' } })[1]?.limit).toBe(30);
    rules.policies = policies;
  });

  it('by the verified user, before the one whom the key belongs to', () => {
    rules.setKey(key({ userId: 'owner-of-the-key' }));
    expect(plan(rules, facts({ apiKey: SECRET, userId: 'verified' }), NOW).userId).toBe('verified');
    expect(metersOf({ apiKey: SECRET, userId: 'verified' })[2]?.key).toBe('user|verified|read|3600');
  });
});

describe('an API key', () => {
  it('is found by its secret or its id', () => {
    rules.setKey(key());
    expect(plan(rules, facts({ apiKey: SECRET }), NOW).key?.id).toBe(key().id);
    expect(plan(rules, facts({ apiKeyId: key().id }), NOW).key?.id).toBe(key().id);
  });

  it('that is unknown names no client and has no quota', () => {
    for (const unknown of [{ apiKey: 'wrong' }, { apiKeyId: 'wrong' }]) {
      expect(plan(rules, facts(unknown), NOW)).toMatchObject({ key: null, invalidKey: true });
      expect(subjectsOf(unknown)).toEqual(['ip']);
    }
    expect(plan(rules, facts(), NOW).invalidKey).toBe(false);
  });

  it.each([
    [null, true],
    [NOW + 1, true],
    [NOW, false],
    [NOW - 1, false],
  ])('that expires at %s: found is %s', (expiresAt, found) => {
    rules.setKey(key({ expiresAt }));
    expect(plan(rules, facts({ apiKey: SECRET }), NOW).key !== null).toBe(found);
    expect(plan(rules, facts({ apiKeyId: key().id }), NOW).key !== null).toBe(found);
  });

  it('that was rotated is found by its old secret until the grace is over', () => {
    const rotated = key({ secretHash: hashSecret('new'), previousSecretHash: hashSecret(SECRET) });
    const found = (previousSecretUntil: number | null) => {
      rules.setKey({ ...rotated, previousSecretUntil });
      return plan(rules, facts({ apiKey: SECRET }), NOW).key !== null;
    };
    expect(found(NOW + 1)).toBe(true);
    expect(found(NOW)).toBe(false);
    expect(found(null)).toBe(false);
    expect(plan(rules, facts({ apiKey: 'new' }), NOW).key).not.toBeNull();
  });

  it('that was changed or removed is not found by what it had before', () => {
    rules.setKey(key({ previousSecretHash: hashSecret('older'), previousSecretUntil: NOW + 1 }));
    rules.setKey(key({ secretHash: hashSecret('new') }));
    expect(plan(rules, facts({ apiKey: SECRET }), NOW).key).toBeNull();
    expect(plan(rules, facts({ apiKey: 'older' }), NOW).key).toBeNull();
    rules.setKey(key({ previousSecretHash: hashSecret('older'), previousSecretUntil: NOW + 1 }));
    rules.removeKey(key().id);
    rules.removeKey('never-there');
    for (const unknown of [{ apiKey: SECRET }, { apiKey: 'older' }, { apiKeyId: key().id }])
      expect(plan(rules, facts(unknown), NOW).key).toBeNull();
  });

  it.each([
    ['free', true, false],
    ['free', false, false],
    ['starter', true, true],
    ['starter', false, false],
    ['enterprise', true, true],
  ] as const)('of the tier %s with overage %s: unlimited is %s', (tier, overageAllowed, unlimited) => {
    rules.setKey(key({ tier, overageAllowed }));
    expect(metersOf({ apiKey: SECRET }).at(-1)).toMatchObject({
      subject: 'quota',
      limit: DEFAULT_POLICIES.tiers[tier],
      unlimited,
    });
  });

  it('has one counter a month', () => {
    expect(buildQuotaKey('some-id')).toBe('quota|some-id|month');
  });
});

describe('an allowlisted subject', () => {
  const entry = { id: 'entry', expiresAt: null };

  it('bypasses every limit, by address before user', () => {
    rules.allowedRanges.set(parseRange('203.0.113.0/24')!, entry);
    rules.allowedUsers.set('alice', entry);
    expect(plan(rules, facts({ userId: 'alice' }), NOW)).toMatchObject({
      bypass: { subject: 'ip', identifier: '203.0.113.9', entry },
      attempt: { meters: [] },
      userId: 'alice',
    });
    const elsewhere = { address: parseAddress('198.51.100.1'), userId: 'alice' };
    expect(plan(rules, facts(elsewhere), NOW).bypass).toEqual({ subject: 'user', identifier: 'alice', entry });
    expect(plan(rules, facts({ ...elsewhere, userId: 'bob' }), NOW).bypass).toBeNull();
    expect(plan(rules, facts({ address: null }), NOW).bypass).toBeNull();
  });

  it('does not bypass the quota, also as the user of a key', () => {
    rules.setKey(key({ userId: 'alice' }));
    rules.allowedUsers.set('alice', entry);
    expect(plan(rules, facts({ apiKey: SECRET }), NOW)).toMatchObject({
      bypass: { subject: 'user', identifier: 'alice' },
      attempt: { meters: [{ identifier: key().id }] },
    });
    expect(subjectsOf({ apiKey: SECRET })).toEqual(['quota']);
  });

  it('has the limits of everybody in the plan without the bypass', () => {
    rules.allowedRanges.set(parseRange('203.0.113.0/24')!, entry);
    const unbypassed = plan(rules, facts({ userId: 'alice' }), NOW, false);
    expect(unbypassed.bypass).toBeNull();
    expect(unbypassed.attempt.meters.map(({ subject, limit }) => [subject, limit])).toEqual([
      ['ip', 100],
      ['user', 5000],
    ]);
  });

  it('ends when the entry has expired or was removed', () => {
    const range = parseRange('203.0.113.0/24')!;
    rules.allowedRanges.set(range, { id: 'entry', expiresAt: NOW });
    rules.allowedUsers.set('alice', { id: 'entry', expiresAt: NOW });
    expect(plan(rules, facts({ userId: 'alice' }), NOW).bypass).toBeNull();
    rules.allowedRanges.set(range, { id: 'entry', expiresAt: NOW + 1 });
    expect(plan(rules, facts(), NOW).bypass).not.toBeNull();
    rules.allowedRanges.delete(range);
    expect(plan(rules, facts(), NOW).bypass).toBeNull();
  });
});

describe('an override', () => {
  const override = { id: 'own', limit: 7, windowSeconds: 30, expiresAt: null, isRange: false };

  it('of an address takes the place of the policy, in its class, the most specific first', () => {
    rules.overriddenRanges.read.set(parseRange('203.0.113.0/24')!, override);
    rules.overriddenRanges.read.set(parseRange('203.0.113.9')!, { ...override, id: 'exact', limit: 8 });
    const planned = plan(rules, facts(), NOW);
    expect(planned.attempt.meters[0]).toMatchObject({ limit: 8, key: 'ip|203.0.113.9|read|30' });
    expect(listOrigins(planned)).toEqual([['override', 'exact', 'classes.read.ip']]);
    expect(metersOf({ address: parseAddress('203.0.113.10') })[0]?.limit).toBe(7);
    expect(metersOf({ method: 'POST' })[0]?.limit).toBe(50);
    expect(metersOf({ address: null })[0]?.limit).toBe(100);
  });

  it('of a user takes the place of the policy, in its class', () => {
    rules.overriddenUsers.set('read|alice', override);
    const planned = plan(rules, facts({ userId: 'alice' }), NOW);
    expect(planned.attempt.meters[1]).toMatchObject({ limit: 7, window: { kind: 'sliding', seconds: 30 } });
    expect(listOrigins(planned)).toEqual([
      ['policy', null, 'classes.read.ip'],
      ['override', 'own', 'classes.read.user'],
    ]);
    expect(metersOf({ userId: 'bob' })[1]?.limit).toBe(5000);
  });

  it('that has expired does not count', () => {
    rules.overriddenRanges.read.set(parseRange('203.0.113.9')!, { ...override, expiresAt: NOW });
    rules.overriddenUsers.set('read|alice', { ...override, expiresAt: NOW });
    expect(metersOf({ userId: 'alice' }).map(({ limit }) => limit)).toEqual([100, 5000]);
    expect(metersOf({ userId: 'alice' }).map(({ origin }) => origin.kind)).toEqual(['policy', 'policy']);
    rules.overriddenUsers.set('read|alice', { ...override, expiresAt: NOW + 1 });
    expect(metersOf({ userId: 'alice' })[1]?.limit).toBe(7);
  });
});

describe('a CORS preflight', () => {
  const preflight = { method: 'OPTIONS', preflight: true, userId: 'alice', apiKeyId: key().id };
  beforeEach(() => {
    rules.setKey(key());
  });

  it('counts nowhere, whatever a rule says', () => {
    rules.routeRules = [compileRule({ method: 'OPTIONS', path: '*', class: 'sensitive', cost: 5 })];
    expect(plan(rules, facts(preflight), NOW)).toMatchObject({ attempt: { meters: [], cost: 0 } });
    expect(subjectsOf({ ...preflight, preflight: false })).toEqual(['ip', 'client', 'user', 'quota']);
  });

  it('counts as every request where the policy says so', () => {
    rules.policies = mergePatch(DEFAULT_POLICIES, { count_preflights: true });
    expect(subjectsOf(preflight)).toEqual(['ip', 'client', 'user', 'quota']);
    expect(plan(rules, facts(preflight), NOW).class).toBe('read');
  });
});
