import { describe, expect, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { dryRunPolicies } from '@/lib/admin/policies/dry-run';
import { getPolicies } from '@/lib/admin/policies/get';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { createToken } from '@/lib/admin/tokens/create';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { parseAddress } from '@/lib/limiter/address';
import { removeOutdated } from '@/lib/statistics/writes';
import { HOUR, MINUTE } from '@/lib/units';
import { call } from '@/tests/fixtures/call';
import { decisionEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const dryRun = (body: unknown, headers: Record<string, string> = {}) =>
  call(here.services, dryRunPolicies, { body, headers });

/** So many requests of one address within one minute, that many minutes ago. */
function burst(ip: string, requests: number, minutesAgo: number, cost = 1) {
  for (let n = 0; n < requests; n += 1) {
    here.services.statistics.record(decisionEvent(TEST_START - minutesAgo * MINUTE, { ip, cost }));
  }
}

async function written() {
  for (let n = 0; n < 10; n += 1) await here.services.statistics.flush();
}

describe('a dry-run', () => {
  test('says how many requests of how many identifiers a tighter limit would have refused, and changes nothing', async () => {
    burst('203.0.113.1', 80, 10);
    burst('203.0.113.2', 60, 5);
    burst('203.0.113.3', 20, 5);
    await written();
    const { status, json } = await dryRun({ classes: { read: { ip: { limit: 50 } } } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      from: '2026-11-20T11:00:00.000Z',
      to: '2026-11-20T12:00:00.000Z',
      known_from: '2026-11-20T11:50:00.000Z',
      requests: 160,
      refused: 0,
      in_force: { at_least: 0, at_most: 0 },
      changed: { at_least: 40, at_most: 40 },
      not_replayed: [],
    });
    expect(json.limits).toHaveLength(1);
    expect(json.limits[0]).toMatchObject({
      path: 'classes.read.ip',
      subject: 'ip',
      class: 'read',
      requests: 160,
      requests_not_followed: 0,
      history_short: false,
      changed: { at_least: 40, at_most: 40, identifiers: { at_least: 2, at_most: 2 } },
      most_refused: [
        { identifier: '203.0.113.1', at_least: 30, at_most: 30 },
        { identifier: '203.0.113.2', at_least: 10, at_most: 10 },
      ],
    });
    expect((await call(here.services, getPolicies)).json).toEqual(DEFAULT_POLICIES);
  });

  test('says how many fewer a wider one would have refused', async () => {
    burst('203.0.113.1', 130, 10);
    await written();
    const { json } = await dryRun({ classes: { read: { ip: { limit: 120 } } } });
    expect(json).toMatchObject({ in_force: { at_least: 30 }, changed: { at_least: 10 } });
  });

  test('counts what requests cost, and says so in words', async () => {
    burst('203.0.113.1', 20, 10, 5);
    await written();
    const body = { classes: { read: { ip: { limit: 50 } } } };
    const { json } = await dryRun(body);
    expect(json).toMatchObject({ requests: 20, in_force: { at_most: 0 }, changed: { at_least: 50, at_most: 50 } });
    expect(json.limits[0].requests).toBe(100);
    expect(
      (await call(here.services, patchPolicies, { body, query: { dry_run: 'true' } })).json.changes[0].effect,
    ).toBe('classes.read.ip: refuses 50 instead of 0 of 100 units in the last hour: 203.0.113.1.');
  });

  test('lets the hour before fill the window, and counts only the last one', async () => {
    for (const ago of [70, 50]) {
      for (let n = 0; n < 30; n += 1) {
        here.services.statistics.record(decisionEvent(TEST_START - ago * MINUTE, { ip: null, userId: 'alice' }));
      }
    }
    await written();
    const { json } = await dryRun({ classes: { read: { user: { limit: 40 } } } });
    expect(json).toMatchObject({ requests: 30, changed: { at_least: 20, at_most: 20 } });
  });

  test('leaves out those whom the policies do not concern: overrides and the allowlist', async () => {
    burst('203.0.113.1', 80, 10);
    burst('203.0.113.2', 80, 10);
    await written();
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.1', reason: 'office' } });
    const own = {
      type: 'ip',
      identifier: '203.0.113.2',
      class: 'read',
      limit: 500,
      window_seconds: 60,
      reason: 'crawler',
    };
    await call(here.services, putOverride, { body: own });
    expect((await dryRun({ classes: { read: { ip: { limit: 50 } } } })).json.changed).toEqual({
      at_least: 0,
      at_most: 0,
    });
  });

  test('replays client limits and quotas by key', async () => {
    const created = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
    here.clock.advance(-10 * MINUTE);
    const address = parseAddress('192.0.2.1');
    for (let n = 0; n < 50; n += 1) {
      await here.services.engine.decide({
        method: 'GET',
        path: '/api/x',
        address,
        apiKey: created.json.secret,
        requestId: null,
      });
    }
    here.clock.advance(10 * MINUTE);
    await written();
    const { json } = await dryRun({ clients: { confidential: { limit: 20 } }, tiers: { free: 45 } });
    expect(json.limits.map((limit: { path: string }) => limit.path)).toEqual(['clients.confidential', 'tiers.free']);
    expect(json.limits[0].changed).toMatchObject({ at_least: 30, at_most: 30 });
    expect(json.limits[1].changed).toMatchObject({ at_least: 5, at_most: 5, identifiers: { at_least: 1, at_most: 1 } });
    expect(json.changed).toEqual({ at_least: 30, at_most: 35 });

    // A tier with a rate of its own is not under the limit of the client type.
    const rated = await dryRun({ clients: { confidential: { limit: 20 } }, tier_rates: { free: 40, starter: 1 } });
    const concerned = rated.json.limits.map(({ path, requests }: { path: string; requests: number }) => [
      path,
      requests,
    ]);
    expect(concerned).toContainEqual(['clients.confidential', 0]);
    expect(concerned).toContainEqual(['tier_rates.free', 50]);
    expect(rated.json.changed).toMatchObject({ at_least: 10, at_most: 10 });
  });

  test('says what it cannot replay', async () => {
    const { json } = await dryRun({
      global: { limit: 10 },
      classes: { auth: { on_store_failure: 'local', lease: 50, ip: { window_seconds: 7_200 } } },
    });
    expect(json.not_replayed).toEqual(['classes.auth.on_store_failure', 'classes.auth.lease', 'global']);
    expect(json.limits[0]).toMatchObject({ history_short: true });
    expect(json.known_from).toBeNull();
  });

  test('is for viewers too, refuses what the change would refuse, and is bounded', async () => {
    const token = await call(here.services, createToken, { body: { name: 'eyes', role: 'viewer' } });
    const viewer = { Authorization: `Bearer ${token.json.token}` };
    expect((await dryRun({}, viewer)).json).toMatchObject({ limits: [], changed: { at_least: 0, at_most: 0 } });
    expect((await dryRun({ classes: { read: { ip: { limit: -1 } } } })).status).toBe(400);
    expect((await dryRun({}, { Authorization: '' })).status).toBe(401);
  });

  test('forgets what is older than the two hours that it needs', async () => {
    burst('203.0.113.1', 80, 10);
    await written();
    here.clock.advance(3 * HOUR);
    expect(await removeOutdated(here.services.database, here.clock.now)).toBeGreaterThan(0);
    here.clock.advance(-3 * HOUR);
    expect((await dryRun({ classes: { read: { ip: { limit: 50 } } } })).json.limits[0].requests).toBe(0);
  });
});
