import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { listAudit } from '@/lib/admin/audit-log/list';
import { addGrant } from '@/lib/admin/grants/add';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { applyState } from '@/lib/admin/state/apply';
import { createToken } from '@/lib/admin/tokens/create';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { undoChange } from '@/lib/admin/undo/undo';
import { runBatch } from '@/lib/api/operations';
import { CONTRACTS } from '@/lib/contract/contracts';
import { fillPath } from '@/lib/contract/operation';
import { hasDryRun } from '@/lib/contract/preview';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import type { ApiKeyId } from '@/lib/ids';
import { parseAddress } from '@/lib/limiter/address';
import type { Operation } from '@/lib/operation/operation';
import { type CallOptions, call, expectInvalid } from '@/tests/fixtures/call';
import { product, productSuite } from '@/tests/fixtures/product-suite';
import { readChanges } from '@/tests/fixtures/read-changes';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

const dryRun = (operation: Operation, options: CallOptions = {}) =>
  call(here.services, operation, { ...options, query: { dry_run: 'true' } });
const audited = async () => (await call(here.services, listAudit)).json.length;
const key = async (name: string, tier = 'starter'): Promise<string> =>
  (await call(here.services, createApiKey, { body: { name, tier } })).json.id;
const effects = async (operation: Operation, options: CallOptions) =>
  (await dryRun(operation, options)).json.changes.map(({ effect }: { effect?: string }) => effect);

describe('every operation that changes something', () => {
  productSuite();

  it('takes a dry run, which leaves no record', async () => {
    const newest = async () => (await readChanges(product))[0]?.seq;
    const before = await newest();
    const answers = new Map<string, number>();
    for (const contract of CONTRACTS.filter(hasDryRun)) {
      const { example, method } = contract;
      const query = new URLSearchParams({ ...example?.query, dry_run: 'true' });
      const { status } = await product.admin(method, `${fillPath(contract, example?.params)}?${query}`, example?.body);
      answers.set(contract.id, status);
    }
    expect([...answers].filter(([, status]) => ![200, 400, 401, 403, 404, 409].includes(status))).toEqual([]);
    expect([...answers.values()].filter((status) => status === 200).length).toBeGreaterThan(10);
    expect(await newest()).toBe(before);
  });
});

describe('a dry run', () => {
  servicesSuite();

  it('answers what would change, and keeps nothing under an Idempotency-Key', async () => {
    const body = { type: 'ip', identifier: '203.0.113.7', reason: 'Office' };
    const before = await audited();
    const headers = { 'Idempotency-Key': 'once' };
    const foretold = await dryRun(addAllowlistEntry, { body, headers });
    expect(foretold.json).toEqual({
      status: 200,
      value: { allowlisted: true, identifier: '203.0.113.7', expires_at: null },
      changes: [
        {
          ...{ action: 'allowlist.add', target_type: 'allowlist', target: '203.0.113.7', before: null },
          after: expect.objectContaining(body),
          effect: 'In the last hour no limited request came from it.',
        },
      ],
    });
    expect(await audited()).toBe(before);
    expect((await call(here.services, listAllowlist)).json).toEqual([]);
    expect((await call(here.services, addAllowlistEntry, { body, headers })).status).toBe(200);
  });

  it('makes no secrets', async () => {
    const id = await key('Store locator');
    const made = [
      await dryRun(createApiKey, { body: { name: 'Reports', tier: 'free' } }),
      await dryRun(rotateApiKey, { params: { id } }),
      await dryRun(createToken, { body: { name: 'ci', role: 'viewer' } }),
      await dryRun(applyState, { body: { version: 1, api_keys: [{ name: 'Another', tier: 'free' }] } }),
    ];
    for (const { status, text } of made) {
      expect(status).toBe(200);
      // Prefixes are no secrets.
      expect(text).not.toMatch(/(slt|slk|sk)_[\w-]{20}/);
      expect(text).toMatch(/"(secret|token|secrets)":null/);
    }
  });

  it('refuses what would be refused, and what is no dry run', async () => {
    const id = await key('Store locator');
    expect((await dryRun(createApiKey, { body: { name: 'Store locator', tier: 'free' } })).json.error).toBe('conflict');
    const stale = { headers: { 'If-Match': '"0"' }, params: { api_key: id }, body: { tier: 'free' } };
    expect((await dryRun(changeTier, stale)).status).toBe(412);
    const { json } = await call(here.services, createToken, { body: { name: 'v', role: 'viewer' } });
    const viewer = { Authorization: `Bearer ${json.token}` };
    expect((await dryRun(revokeApiKey, { params: { id }, headers: viewer })).status).toBe(403);
    for (const query of ['dry_run=maybe', 'dry_run=true&dry_run=true', 'dry_run'])
      expectInvalid(await call(here.services, revokeApiKey, { params: { id }, query }));
    expectInvalid(await call(here.services, listAllowlist, { query: { dry_run: 'true' } }));
    const real = await call(here.services, revokeApiKey, { params: { id }, query: { dry_run: 'false' } });
    expect(real.status).toBe(204);
  });

  it('shows all that a batch would do, item by item', async () => {
    const id = await key('Store locator');
    const items = [
      { api_key: id, tier: 'business' },
      { api_key: crypto.randomUUID(), tier: 'free' },
    ];
    const { json } = await dryRun(runBatch, { body: { operation: 'changeTier', items } });
    expect(json.value.results.map(({ status }: { status: number }) => status)).toEqual([200, 404]);
    expect(json.changes.map(({ target, after }: { target: string; after: unknown }) => [target, after])).toEqual([
      [id, { tier: 'business', overage_allowed: false }],
    ]);
  });

  it('says who would be hit', async () => {
    const { services, clock } = here;
    const id = await key('Store locator');
    const address = parseAddress('203.0.113.7');
    for (let minute = 0; minute < 3; minute += 1) {
      const all = Array.from({ length: 40 }, () => ({
        ...{ method: 'GET', path: '/reports', class: 'read' as const, address, requestId: null },
      }));
      await services.engine.decideAll(all);
      clock.advance(60_000);
    }
    const asking = { method: null, path: null, class: 'read' as const, requestId: null };
    await services.engine.decide({ ...asking, apiKeyId: id, address: undefined });
    const window = { kind: 'month' } as const;
    const meter = { subject: 'quota', key: buildQuotaKey(id as ApiKeyId), limit: 0, window, unlimited: true } as const;
    await services.counters.commit((await services.rules.readFresh()).revision, [{ meters: [meter], cost: 1_199 }]);
    clock.advance(60_000);
    await services.statistics.flush();

    expect(await effects(patchPolicies, { body: { classes: { read: { ip: { limit: 20 } } } } })).toEqual([
      expect.stringMatching(
        /^classes\.read\.ip: refuses .* instead of 0 of 120 units in the last hour: 203\.0\.113\.7\.$/,
      ),
    ]);
    const override = { type: 'ip', identifier: '203.0.113.0/24', class: 'read', reason: 'x' };
    expect(await effects(putOverride, { body: { ...override, limit: 10, window_seconds: 60 } })).toEqual([
      expect.stringMatching(/^Refuses (8\d|90).* instead of 0 of 120 units in the last hour: 203\.0\.113\.7\.$/),
    ]);
    expect(await effects(putOverride, { body: { ...override, limit: 0, window_seconds: 60 } })).toEqual([
      'Every request of it in this class is refused.',
    ]);
    await call(services, putOverride, { body: { ...override, limit: 10, window_seconds: 60 } });
    const { reason: _, ...target } = override;
    expect(await effects(removeOverride, { body: target })).toEqual([
      expect.stringMatching(/^Refuses 0 instead of .* of 120 units in the last hour\.$/),
    ]);
    expect(await effects(changeTier, { params: { api_key: id }, body: { tier: 'free' } })).toEqual([
      '200 requests over the new limit: refused until 1 Dec.',
    ]);
    expect(await effects(changeTier, { params: { api_key: id }, body: { tier: 'business' } })).toEqual([undefined]);
    expect(await effects(revokeApiKey, { params: { id } })).toEqual([
      expect.stringMatching(/^Requests with it get 401: 1 unit in the last hour; it was last used at 2026-/),
    ]);
    const until = new Date(clock.now + 3_600_000).toISOString();
    expect(await effects(addGrant, { body: { api_key: id, requests: 5, until, reason: 'x' } })).toEqual([
      'Its quota refused no request in the last hour. It has 8,805 instead of 8,800 requests left.',
    ]);
    const token = (await call(services, createToken, { body: { name: 'ci', role: 'viewer' } })).json;
    expect(await effects(revokeToken, { params: { id: token.id } })).toEqual(['It was never used.']);
    await call(services, addAllowlistEntry, { body: { type: 'user_id', identifier: 'alice', reason: 'x' } });
    await services.engine.decide({ ...asking, userId: 'alice', address });
    await services.statistics.flush();
    expect(await effects(removeAllowlistEntry, { body: { type: 'user_id', identifier: 'alice' } })).toEqual([
      'At least 1 request of the last hour bypassed limits by it; the limits refuse none of them.',
    ]);
  });

  it('says until when the month of a key lasts that starts on another day, with what it has used', async () => {
    const { services } = here;
    const id = await key('Store locator', 'free');
    const moved = (day: number) => effects(updateApiKey, { params: { id }, body: { month_starts_on: day } });
    const used = async (cost: number) => {
      const window = { kind: 'month' } as const;
      const meter = {
        subject: 'quota',
        key: buildQuotaKey(id as ApiKeyId),
        limit: 0,
        window,
        unlimited: true,
      } as const;
      await services.counters.commit((await services.rules.readFresh()).revision, [{ meters: [meter], cost }]);
    };
    await used(900);
    expect(await moved(28)).toEqual([
      'Its running month ends at 2026-11-28T00:00:00.000Z, instead of 2026-12-01T00:00:00.000Z; 900 of its 1,000 requests are used and stay counted until then.',
    ]);
    await used(100);
    const foretold = await moved(15);
    expect(foretold).toEqual([
      'Its running month ends at 2026-12-15T00:00:00.000Z, instead of 2026-12-01T00:00:00.000Z; 1,000 of its 1,000 requests are used and stay counted until then, so it is refused until then.',
    ]);
    expect(await moved(1)).toEqual([undefined]);
    expect(await effects(updateApiKey, { params: { id }, body: { name: 'Locator' } })).toEqual([undefined]);
    await call(services, updateApiKey, { params: { id }, body: { month_starts_on: 15 } });
    const { json } = await call(services, getApiKey, { params: { id } });
    expect(json).toMatchObject({ usage: 1_000, remaining: 0, reset_at: '2026-12-15T00:00:00.000Z' });
    const [{ seq }] = (await call(services, listAudit)).json;
    expect(await effects(undoChange, { params: { seq: String(seq) } })).toEqual([
      expect.stringMatching(
        /^Its running month ends at 2026-12-01T.*, instead of 2026-12-15T.*so it is refused until then/,
      ),
    ]);
  });

  it('says of an undo what the undo does', async () => {
    const id = await key('Store locator');
    const entry = { type: 'ip', identifier: '203.0.113.7', reason: 'Office' };
    const undo = async () => {
      const [{ seq }] = (await call(here.services, listAudit)).json;
      const { json } = await dryRun(undoChange, { params: { seq: String(seq) } });
      return json.changes.map(({ action, effect }: { action: string; effect?: string }) => [action, effect]);
    };
    await call(here.services, revokeApiKey, { params: { id } });
    expect(await undo()).toEqual([['api_key.revoke.undo', undefined]]);
    await call(here.services, addAllowlistEntry, { body: entry });
    expect(await undo()).toEqual([['allowlist.add.undo', 'No request in the last hour bypassed limits by it.']]);
    await call(here.services, removeAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.7' } });
    expect(await undo()).toEqual([['allowlist.remove.undo', 'In the last hour no limited request came from it.']]);
  });
});
