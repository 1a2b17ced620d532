import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowlist, audit, idempotency } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import { readState } from '@/lib/admin/state/read';
import { undoChange } from '@/lib/admin/undo/undo';
import type { StateChange } from '@/lib/contract/state';
import type { Services } from '@/lib/operation/services';
import { call } from '@/tests/fixtures/call';
import { rulesIn } from '@/tests/fixtures/rules-in';
import { runs } from '@/tests/fixtures/runs';
import { TEST_START, testServices } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';
import { stateDocuments } from '@/tests/fixtures/state-documents';

type Query = Record<string, string>;
const pull = async (services: Services) => (await call(services, readState)).json;
const plan = async (services: Services, body: unknown, query: Query = {}) => {
  const answer = await call(services, planState, { body, query });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { revision: number; changes: StateChange[] };
};
const apply = (services: Services, body: unknown, query: Query = {}, headers: Query = {}) =>
  call(services, applyState, { body, query, headers });
const records = ({ database }: Services) => database.drizzle.$count(audit);

describe('any document', () => {
  it('is done when it is applied, and its plan says beforehand what that does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stateDocuments, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (documents, prune) => {
          using test = await testServices();
          const { services } = test;
          const query: Query = prune ? { prune: 'true' } : {};
          for (const document of documents) {
            const before = await records(services);
            const planned = await plan(services, document, query).catch(() => null);
            // A grant of an earlier document can be left without its key by prune; nothing else is refused.
            if (planned === null) throw new Error(JSON.stringify(document));
            expect(await records(services)).toBe(before);
            const applied = await apply(services, document, query, { 'If-Match': `"${planned.revision}"` });
            expect(applied.status, applied.text).toBe(200);
            expect(applied.json.changes).toEqual(planned.changes);
            expect(applied.json.revision).toBe(await records(services));
            const created = planned.changes.filter(({ kind, action }) => kind === 'api_keys' && action === 'create');
            expect(applied.json.secrets.map(({ name }: { name: string }) => name)).toEqual(created.map(({ id }) => id));
            expect((await plan(services, document, query)).changes).toEqual([]);
            const again = await apply(services, document, query);
            expect([again.json.changes, again.json.revision]).toEqual([[], applied.json.revision]);
          }
          const pulled = await pull(services);
          const rules = await rulesIn(services.database);
          expect((await apply(services, pulled, { prune: 'true' })).json.changes).toEqual([]);
          expect(withoutMarks(await rulesIn(services.database))).toEqual(withoutMarks(rules));
          expect((await call(services, verifyAuditLog)).json.valid).toBe(true);
        },
      ),
      runs(12),
    );
  });

  it('ends all grants of one reason by one that has ended, once', async () => {
    using test = await testServices();
    const { services } = test;
    const lent = (until: number) => ({
      ...{ api_key: 'A', requests: 5, until: new Date(until).toISOString(), reason: 'Ticket 1' },
    });
    const api_keys = [{ name: 'A', tier: 'free' }];
    const two = [lent(TEST_START + 3_600_000), lent(TEST_START + 3_600_000)];
    expect((await apply(services, { version: 1, api_keys, grants: two })).status).toBe(200);
    const ended = { version: 1, api_keys, grants: [lent(TEST_START - 1)] };
    const { changes } = (await apply(services, ended)).json as { changes: StateChange[] };
    expect(changes.map(({ kind, action }) => [kind, action])).toEqual([
      ['grants', 'delete'],
      ['grants', 'delete'],
    ]);
    expect((await plan(services, ended)).changes).toEqual([]);
  });

  it('is the same for the same grants, made in any order', async () => {
    const lent = [5, 500, 60].map((requests) => ({
      ...{ api_key: 'A', requests, reason: 'Backfill' },
      until: new Date(TEST_START + 3_600_000).toISOString(),
    }));
    const documents = await Promise.all(
      [lent, lent.toReversed()].map(async (grants) => {
        using server = await testServices();
        await apply(server.services, { version: 1, api_keys: [{ name: 'A', tier: 'free' }], grants });
        return await pull(server.services);
      }),
    );
    expect(documents[0]?.grants).toEqual(documents[1]?.grants);
    expect(documents[0]?.grants.map(({ requests }: { requests: number }) => requests)).toEqual([5, 60, 500]);
  });

  it('moves the rules from one server to another', async () => {
    await fc.assert(
      fc.asyncProperty(stateDocuments, stateDocuments, async (one, other) => {
        using left = await testServices();
        using right = await testServices();
        await apply(left.services, one);
        await apply(right.services, other);
        const wanted = await pull(left.services);
        expect((await apply(right.services, wanted, { prune: 'true' })).status).toBe(200);
        // A key that has ended is not made again elsewhere.
        const isAlive = (key: { expires_at: string | null }) =>
          key.expires_at === null || Date.parse(key.expires_at) > TEST_START;
        const there = await pull(right.services);
        expect({ ...there, api_keys: there.api_keys.filter(isAlive) }).toEqual({
          ...wanted,
          api_keys: wanted.api_keys.filter(isAlive),
        });
      }),
      runs(5),
    );
  });

  it('is taken back record by record, the newest first, but for new keys', async () => {
    await fc.assert(
      fc.asyncProperty(stateDocuments, stateDocuments, fc.boolean(), async (first, second, prune) => {
        using test = await testServices();
        const { services } = test;
        const without = ({ api_keys: _, grants: _grants, ...document }: Record<string, unknown>) => document;
        await apply(services, first);
        const keys = (await pull(services)).api_keys;
        const document = { ...without(second), api_keys: keys.map((key: object) => ({ ...key, tier: 'business' })) };
        const start = await rulesIn(services.database);
        const before = await records(services);
        const { json } = await apply(services, document, prune ? { prune: 'true' } : {});
        for (let seq = json.revision; seq > before; seq -= 1) {
          const answer = await call(services, undoChange, { params: { seq: String(seq) } });
          expect(answer.status, answer.text).toBe(200);
        }
        expect(withoutMarks(await rulesIn(services.database))).toEqual(withoutMarks(start));
      }),
      runs(8),
    );
  });
});

/** Where anything stands in a document. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [...(path.length === 0 ? [] : [path]), ...inner.flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

/** Marks decide nothing. */
function withoutMarks(rules: Awaited<ReturnType<typeof rulesIn>>) {
  return JSON.parse(JSON.stringify(rules, (name, value) => (name === 'managed' ? undefined : value)));
}

describe('a document', () => {
  servicesSuite();
  const ENTRY = { type: 'ip', identifier: '203.0.113.7', reason: 'Office' };

  it('leaves alone the sections that it does not have, and what its sections do not name', async () => {
    const { services } = here;
    await call(services, addAllowlistEntry, { body: ENTRY });
    expect((await plan(services, { version: 1 }, { prune: 'true' })).changes).toEqual([]);
    expect((await plan(services, { version: 1, allowlist: [] })).changes).toEqual([]);
    const { changes } = await plan(services, { version: 1, allowlist: [] }, { prune: 'true' });
    expect(changes).toEqual([
      {
        ...{ action: 'delete', kind: 'allowlist', id: 'ip 203.0.113.7' },
        ...{ before: { ...ENTRY, expires_at: null }, after: null },
        effect: 'No request in the last hour bypassed limits by it.',
      },
    ]);
  });

  it('is refused where the rules have moved since its plan, and nothing is changed', async () => {
    const { services } = here;
    const document = { version: 1, allowlist: [ENTRY] };
    const { revision } = await plan(services, document);
    await call(services, addAllowlistEntry, { body: { ...ENTRY, identifier: '203.0.113.8' } });
    const answer = await apply(services, document, {}, { 'If-Match': `"${revision}"` });
    expect([answer.status, answer.json.error]).toEqual([412, 'precondition_failed']);
    expect((await pull(services)).allowlist).toHaveLength(1);
  });

  it('is applied once of those planned on one revision, whatever the process', async () => {
    const [one, other] = [here.services, await here.another()];
    const documents = Array.from({ length: 6 }, (_, index) => ({
      version: 1,
      allowlist: [{ ...ENTRY, reason: `Applier ${index}` }],
    }));
    const answers = await Promise.all(
      documents.map((document, index) => apply(index % 2 ? one : other, document, {}, { 'If-Match': '"0"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    expect(await records(one)).toBe(1);
  });

  it('leaves a record for each change, under one request id and one reason, in one chain', async () => {
    const { services } = here;
    const body = {
      version: 1,
      policies: { tiers: { free: 10 } },
      api_keys: [{ name: 'Billing', tier: 'starter' }],
      grants: [{ api_key: 'Billing', requests: 5, until: '2026-12-01T00:00:00Z', reason: 'Launch' }],
      allowlist: [ENTRY],
    };
    const answer = await apply(services, body, { reason: 'Release 12' });
    const rows = await services.database.drizzle.select().from(audit);
    expect(rows.map(({ action }) => action)).toEqual([
      ...['policies.update', 'api_key.create', 'grant.add', 'allowlist.add'],
    ]);
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(1);
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['Release 12']));
    expect(answer.headers.get('X-Audit-Seq')).toBe('4');
    expect(answer.headers.get('ETag')).toBe('"4"');
    expect((await call(services, verifyAuditLog)).json).toMatchObject({ valid: true, records: 4 });
    // The rules of this process are those of the document at its next decision.
    const rules = await services.rules.readFresh();
    expect([rules.revision, rules.policies.tiers.free, rules.allowedRanges.size]).toEqual([4, 10, 1]);
  });

  it('makes keys that work, and shows their secrets once and nowhere else', async () => {
    const { services } = here;
    const body = { version: 1, api_keys: [{ name: 'Billing', tier: 'starter', user_id: 'ada' }] };
    const { json } = await apply(services, body);
    const [{ secret, id }] = json.secrets;
    const rules = await services.rules.readFresh();
    expect([...rules.keysById.keys()]).toEqual([id]);
    const everything = [
      ...[await pull(services), (await apply(services, body)).json, await plan(services, { ...body, api_keys: [] })],
      ...(await services.database.drizzle.select().from(audit)),
      ...(await services.database.drizzle.select().from(idempotency)),
    ];
    expect(JSON.stringify(everything)).not.toContain(secret);
    expect(Object.keys((await pull(services)).api_keys[0])).toEqual([
      ...['name', 'tier', 'client_type', 'user_id', 'overage_allowed', 'month_starts_on', 'expires_at'],
    ]);
  });

  it('ends what it says has ended, and makes nothing that has', async () => {
    const { services, clock } = here;
    const until = new Date(TEST_START + 60_000).toISOString();
    const document = {
      version: 1,
      allowlist: [{ ...ENTRY, expires_at: until }],
      api_keys: [{ name: 'Trial', tier: 'free', expires_at: until }],
    };
    await apply(services, document);
    clock.advance(120_000);
    expect((await plan(services, document, { prune: 'true' })).changes).toEqual([]);
    await call(services, addAllowlistEntry, { body: ENTRY });
    const { changes } = await plan(services, document);
    expect(changes.map(({ action, id }) => [action, id])).toEqual([['delete', 'ip 203.0.113.7']]);
    const other = { version: 1, api_keys: [{ name: 'Late', tier: 'free', expires_at: until }] };
    expect((await plan(services, other)).changes).toEqual([]);
  });

  it('marks what it names, for the console', async () => {
    const { services } = here;
    await call(services, addAllowlistEntry, { body: ENTRY });
    const byHand = { ...ENTRY, identifier: '203.0.113.8' };
    await call(services, addAllowlistEntry, { body: byHand });
    const before = await records(services);
    expect((await apply(services, { version: 1, allowlist: [ENTRY] })).json.changes).toEqual([]);
    expect(await records(services)).toBe(before);
    const { json } = await call(services, listAllowlist, { query: { sort: 'identifier' } });
    expect(json.map(({ managed }: { managed?: true }) => managed)).toEqual([true, undefined]);
    // Editing it by hand keeps the mark: the next apply will overwrite what was edited.
    await call(services, addAllowlistEntry, { body: { ...ENTRY, reason: 'By hand' } });
    const [row] = await services.database.drizzle
      .select()
      .from(allowlist)
      .where(eq(allowlist.identifier, ENTRY.identifier));
    expect([row?.managed, row?.reason]).toEqual([true, 'By hand']);
  });

  it('takes limits that it does not name back to the defaults with prune only', async () => {
    const { services } = here;
    await call(services, patchPolicies, { body: { tiers: { free: 10 } } });
    const policies = { tiers: { starter: 20 } };
    await apply(services, { version: 1, policies });
    expect((await pull(services)).policies.tiers).toMatchObject({ free: 10, starter: 20 });
    await apply(services, { version: 1, policies }, { prune: 'true' });
    expect((await pull(services)).policies.tiers).toMatchObject({ free: 1000, starter: 20 });
  });

  it('that is broken anywhere is refused with the path, or fine as it is, and never changes anything', async () => {
    const { services } = here;
    const junk = fc.constantFrom(null, 3.7, -1, '', 'x\u0000', [], {}, [{}], { more: 1 }, 'x'.repeat(2_000));
    await fc.assert(
      fc.asyncProperty(stateDocuments, fc.nat(), junk, async (document, at, value) => {
        const paths = pathsIn(document);
        const path = paths[at % paths.length] ?? [];
        const broken = structuredClone(document) as Record<string, unknown>;
        const holder = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>((inner, step) => inner[step] as Record<string, unknown>, broken);
        holder[path.at(-1) ?? ''] = value;
        const { status, json } = await call(services, planState, { body: broken });
        expect([200, 400]).toContain(status);
        if (status === 400) {
          // What is wrong may be a member beside it: overage without its tier, a grant without its key.
          const { details } = json as { details: { path: string }[] };
          const sections = new Set(['api_keys', 'grants', path[0]]);
          expect(sections.has(details[0]?.path.split('.')[0]), JSON.stringify([path, value, details])).toBe(true);
        }
        expect(await records(services)).toBe(0);
      }),
      runs(150),
    );
  });

  it('is refused with the path of what makes no sense', async () => {
    const { services } = here;
    const key = { name: 'A', tier: 'free' };
    const far = '2040-01-01T00:00:00Z';
    const cases: [object, string][] = [
      [{ version: 2 }, 'version'],
      [{ version: 1, keys: [] }, 'body'],
      [{ version: 1, alerts: { fax: 'ada@example.com' } }, 'alerts'],
      [{ version: 1, allowlist: [{ ...ENTRY, secret: 'x' }] }, 'allowlist.0'],
      [{ version: 1, allowlist: [{ ...ENTRY, identifier: 'nowhere' }] }, 'allowlist.0.identifier'],
      [{ version: 1, allowlist: [ENTRY, { ...ENTRY, identifier: '::ffff:203.0.113.7' }] }, 'allowlist.1'],
      [{ version: 1, allowlist: [{ ...ENTRY, expires_at: far }] }, 'allowlist.0.expires_at'],
      [{ version: 1, api_keys: [key, key] }, 'api_keys.1'],
      [{ version: 1, api_keys: [{ ...key, overage_allowed: true }] }, 'api_keys.0.overage_allowed'],
      [{ version: 1, policies: { classes: { read: { ip: { limit: -1 } } } } }, 'policies.classes.read.ip.limit'],
      [{ version: 1, route_rules: [{ method: 'GET', path: '/(a)', class: 'read' }] }, 'route_rules.0.path'],
      [
        { version: 1, grants: [{ api_key: 'A', requests: 1, until: '2027-01-01T00:00:00Z', reason: 'x' }] },
        'grants.0.api_key',
      ],
      [{ version: 1, grants: [{ api_key: 'A', requests: 1, until: far, reason: 'x' }] }, 'grants.0.until'],
    ];
    for (const [body, path] of cases) {
      for (const operation of [planState, applyState]) {
        const { status, json } = await call(services, operation, { body });
        expect([status, json.error, json.details?.[0].path], JSON.stringify(body)).toEqual([
          400,
          'invalid_request',
          path,
        ]);
      }
    }
    expect(await records(services)).toBe(0);
  });
});

describe('named limits in a document', () => {
  servicesSuite();
  const sms = { name: 'sms', windows: [{ limit: 1, seconds: 30 }] };

  it('are created before the rules and keys that name them, changed, and removed with a word on who names them', async () => {
    const { services } = here;
    const own = { sms: [{ limit: 5, seconds: 30 }] };
    const rules = [{ method: '*', path: '/codes', class: 'write', limits: [{ name: 'sms', subject: 'ip' }] }];
    const document = {
      ...{ version: 1, limits: [sms], route_rules: rules },
      api_keys: [{ name: 'Shop', tier: 'free', limits: own }],
    };
    const first = await apply(services, document);
    expect(first.json.changes.map(({ action, kind, id }: StateChange) => [action, kind, id])).toEqual([
      ['create', 'limits', 'sms'],
      ['update', 'route_rules', 'route_rules'],
      ['create', 'api_keys', 'Shop'],
    ]);
    const pulled = await pull(services);
    expect(pulled.limits).toMatchObject([sms]);
    expect(pulled.api_keys[0].limits).toEqual(own);
    expect((await plan(services, pulled, { prune: 'true' })).changes).toEqual([]);
    const other = { version: 1, limits: [{ ...sms, windows: [{ limit: 2, seconds: 30 }] }] };
    expect((await apply(services, other)).json.changes).toMatchObject([
      { action: 'update', kind: 'limits', id: 'sms' },
    ]);
    const { changes } = await plan(services, { version: 1, limits: [] }, { prune: 'true' });
    expect(changes).toMatchObject([{ action: 'delete', kind: 'limits', id: 'sms' }]);
    expect(changes[0]?.effect).toContain('1 route rule and 1 API key name it');
  });

  it('leave nothing in an export once they are removed, which another server then takes', async () => {
    const { services } = here;
    const own = { sms: [{ limit: 5, seconds: 30 }] };
    const named = [{ name: 'sms', subject: 'ip' }];
    const codes = { method: '*', path: '/codes', class: 'write' };
    const counted = [
      { ...codes, path: '/counted', counts: 'failures', limits: [{ name: 'kept', subject: 'ip' }, ...named] },
    ];
    const override = { type: 'subject', identifier: '+49', windows: own.sms, reason: 'Loses codes' };
    const kept = { ...sms, name: 'kept' };
    const document = {
      ...{ version: 1, limits: [sms, kept], route_rules: [{ ...codes, limits: named }, ...counted] },
      api_keys: [{ name: 'Shop', tier: 'free', limits: { ...own, kept: own.sms } }],
      overrides: ['sms', 'kept'].map((limit_name) => ({ ...override, limit_name })),
    };
    expect((await apply(services, document)).status).toBe(200);
    await call(services, removeLimit, { params: { name: 'sms' } });
    const pulled = await pull(services);
    expect(pulled).toMatchObject({
      limits: [kept],
      route_rules: [codes, { path: '/counted', limits: [{ name: 'kept', subject: 'ip' }] }],
      overrides: [{ ...override, limit_name: 'kept' }],
    });
    expect(pulled.route_rules[0]).not.toHaveProperty('limits');
    expect(pulled.api_keys[0].limits).toEqual({ kept: own.sms });
    const before = await rulesIn(services.database);
    expect((await apply(services, pulled, { prune: 'true' })).json.changes).toEqual([]);
    expect(withoutMarks(await rulesIn(services.database))).toEqual(withoutMarks(before));
    using other = await testServices();
    const { status, text } = await apply(other.services, pulled);
    expect(status, text).toBe(200);
    expect(await pull(other.services)).toEqual(pulled);
    // What still names the limit would have an effect again.
    const again = await apply(services, { ...pulled, limits: [sms, kept] }, { prune: 'true' });
    expect(again.json.changes.map(({ action, kind }: StateChange) => [action, kind])).toEqual([
      ['create', 'limits'],
      ['update', 'route_rules'],
      ['update', 'api_keys'],
      ['delete', 'overrides'],
    ]);
  });

  it('must exist where rules and keys name them', async () => {
    const { services } = here;
    const route_rules = [{ method: '*', path: '/codes', class: 'write', limits: [{ name: 'sms', subject: 'ip' }] }];
    const api_keys = [{ name: 'Shop', tier: 'free', limits: { sms: [{ limit: 5, seconds: 30 }] } }];
    for (const body of [
      { version: 1, route_rules },
      { version: 1, api_keys },
      { version: 1, limits: [sms, sms] },
    ])
      expect((await apply(services, body)).status).toBe(400);
  });
});
