import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { addGrant } from '@/lib/admin/grants/add';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { updateApiKey } from '@/lib/admin/keys/update';
import { patchPolicies } from '@/lib/admin/limits/patch-policies';
import { replaceRouteRules } from '@/lib/admin/limits/replace-route-rules';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { inviteMember } from '@/lib/admin/members/invite';
import { updateMember } from '@/lib/admin/members/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { createToken } from '@/lib/admin/tokens/create';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { undoChange } from '@/lib/admin/undo/undo';
import { quotaKey } from '@/lib/enforcement/plan';
import type { ApiKeyId } from '@/lib/ids';
import { counterKey } from '@/lib/limiter/counter-key';
import type { Meter } from '@/lib/limiter/meter';
import type { Operation } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { type CallOptions, call } from '@/tests/fixtures/call';
import { rulesIn } from '@/tests/fixtures/rules-in';
import { runs } from '@/tests/fixtures/runs';
import { TEST_START, testServices } from '@/tests/fixtures/services';

type Step = 'undo' | 'request' | ((ids: Ids) => readonly [Operation, CallOptions]);

const HOUR = { kind: 'sliding', seconds: 3_600 } as const;

interface Ids {
  keys: readonly ApiKeyId[];
  member: string;
  token: string;
}

const ADDRESS = '203.0.113.7';
const identifier = fc.constantFrom('203.0.113.7', '10.0.0.0/24', '2001:db8::/48');
const reason = fc.constantFrom('Ticket 1', 'Ticket 2');
const expiry = fc.constantFrom(null, new Date(TEST_START + 3_600_000).toISOString());
const which = fc.constantFrom(0, 1);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom('undo' as const, 'request' as const),
  fc.constant(() => [resetCounters, { body: { type: 'ip', identifier: ADDRESS } }] as const),
  which.map(
    (key) =>
      ({ keys }: Ids) =>
        [resetQuota, { params: { api_key: keys[key] ?? '' } }] as const,
  ),
  fc
    .record({ type: fc.constant('ip'), identifier, reason, expires_at: expiry })
    .map((body) => () => [addAllowlistEntry, { body }] as const),
  identifier.map((address) => () => [removeAllowlistEntry, { body: { type: 'ip', identifier: address } }] as const),
  fc
    .record({
      identifier,
      class: fc.constantFrom('auth', 'read'),
      limit: fc.constantFrom(0, 7),
      reason,
      expires_at: expiry,
    })
    .map((values) => () => [putOverride, { body: { type: 'ip', window_seconds: 60, ...values } }] as const),
  fc
    .record({ identifier, class: fc.constantFrom('auth', 'read') })
    .map((values) => () => [removeOverride, { body: { type: 'ip', ...values } }] as const),
  fc.record({ key: which, tier: fc.constantFrom('free', 'starter', 'business') }).map(
    ({ key, tier }) =>
      ({ keys }: Ids) =>
        [changeTier, { params: { api_key: keys[key] ?? '' }, body: { tier } }] as const,
  ),
  fc
    .record({
      key: which,
      body: fc.record(
        {
          name: fc.constantFrom('A', 'B'),
          overage_allowed: fc.boolean(),
          user_id: fc.constantFrom('u', null),
          expires_at: expiry,
        },
        { requiredKeys: [] },
      ),
    })
    .map(
      ({ key, body }) =>
        ({ keys }: Ids) =>
          [updateApiKey, { params: { id: keys[key] ?? '' }, body }] as const,
    ),
  fc.record({ key: which, requests: fc.constantFrom(5, 500), reason }).map(({ key, ...grant }) => ({ keys }: Ids) => {
    const body = { api_key: keys[key] ?? '', ...grant, until: new Date(TEST_START + 3_600_000).toISOString() };
    return [addGrant, { body }] as const;
  }),
  which.map(
    (key) =>
      ({ keys }: Ids) =>
        [revokeApiKey, { params: { id: keys[key] ?? '' } }] as const,
  ),
  fc
    .constantFrom(5, 10, 20)
    .map((limit) => () => [patchPolicies, { body: { classes: { auth: { ip: { limit } } } } }] as const),
  fc
    .constantFrom([], [{ method: 'GET', path: '/reports/*', class: 'sensitive', cost: 2 }])
    .map((body) => () => [replaceRouteRules, { body }] as const),
  fc.record({ role: fc.constantFrom('viewer', 'operator', 'owner'), name: fc.constantFrom('Ada', null) }).map(
    (body) =>
      ({ member }: Ids) =>
        [updateMember, { params: { id: member }, body }] as const,
  ),
  fc.constant(({ token }: Ids) => [revokeToken, { params: { id: token } }] as const),
);

async function prepared(services: Services): Promise<Ids> {
  const make = async (name: string) =>
    (await call(services, createApiKey, { body: { name, tier: 'starter' } })).json.id;
  await call(services, inviteMember, { body: { email: 'owner@example.com', role: 'owner' } });
  const member = await call(services, inviteMember, { body: { email: 'ada@example.com', role: 'viewer' } });
  const token = await call(services, createToken, { body: { name: 'ci', role: 'viewer' } });
  return { keys: [await make('first'), await make('second')], member: member.json.id, token: token.json.id };
}

/** What an address and the keys have used; `cost` of it now. */
async function send({ counters, rules }: Services, { keys }: Ids, cost: number) {
  const address: Meter = {
    ...{ subject: 'ip', key: counterKey('ip', ADDRESS, 'read', HOUR), window: HOUR },
    ...{ limit: 0, unlimited: true },
  };
  const quotas = keys.map(
    (key): Meter => ({ ...address, subject: 'quota', key: quotaKey(key), window: { kind: 'month' } }),
  );
  const commit = await counters.commit((await rules.fresh()).revision, [{ meters: [address, ...quotas], cost }]);
  return commit.kind === 'decided' ? commit.verdicts[0]?.readings.map(({ used }) => used) : null;
}

const undo = (services: Services, seq: number) => call(services, undoChange, { params: { seq: String(seq) } });

describe('any changes, taken back newest first', () => {
  it('end where they began: the same ids, creators, times, reasons and expiries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        using test = await testServices();
        const { services, clock } = test;
        const ids = await prepared(services);
        const start = await rulesIn(services.database);
        const made: number[] = [];
        const resets = new Set<number>();
        let sent = 0;
        for (const next of steps) {
          clock.advance(1_000);
          const last = made.at(-1);
          if (next === 'undo' && last === undefined) continue;
          if (next === 'request') {
            sent += 1;
            await send(services, ids, 1);
            continue;
          }
          const planned = next === 'undo' ? null : next(ids);
          const answer = planned === null ? await undo(services, last ?? 0) : await call(services, ...planned);
          const seq = Number(answer.headers.get('X-Audit-Seq'));
          // The undo of a reset has no undo of its own: both are done with.
          if (answer.status < 300 && next === 'undo' && resets.has(last ?? 0)) made.pop();
          else if (answer.status < 300) made.push(seq);
          if (planned !== null && [resetCounters, resetQuota].some((reset) => reset === planned[0])) resets.add(seq);
          if (answer.status >= 300) expect([400, 404, 409]).toContain(answer.status);
        }
        for (const seq of made.reverse()) {
          const { status, json } = await undo(services, seq);
          expect([status, json], `change ${seq}`).toMatchObject([200, { undoes: seq }]);
        }
        expect(await rulesIn(services.database)).toEqual(start);
        expect(await send(services, ids, 0)).toEqual([sent, sent, sent]);
      }),
      runs(25),
    );
  });
});
