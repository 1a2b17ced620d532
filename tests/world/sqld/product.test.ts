import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { createApiKey } from '@/lib/admin/keys/create';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { patchPolicies } from '@/lib/admin/policies/patch';
import type { Database } from '@/lib/db/database';
import { countMigrations, migrate } from '@/lib/db/migrate';
import { parseAddress } from '@/lib/limiter/address';
import type { Services } from '@/lib/operation/services';
import { call } from '@/tests/fixtures/call';
import { servicesOn } from '@/tests/fixtures/services';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';

describe.skipIf(sqldIsMissing('integration/sqld (product)'))('the product on a libSQL server', () => {
  let server: SqldServer;
  const databases: Database[] = [];
  /** Two instances: own connections, own caches, one server. */
  let first: Services;
  let second: Services;

  beforeAll(async () => {
    server = await SqldServer.start();
    const [left, right] = [server.open(), server.open()];
    databases.push(left, right);
    const applied = await Promise.all([migrate(left, 'drizzle', 0), migrate(right, 'drizzle', 0)]);
    const { applied: count, known } = await countMigrations(left, 'drizzle');
    // Started together, they share the migrations between them.
    expect([count, applied.flat().length]).toEqual([known, known]);
    expect(await migrate(right, 'drizzle', 0)).toEqual([]);
    first = await servicesOn(left, {}, () => Date.now());
    second = await servicesOn(right, {}, () => Date.now());
  });
  afterAll(async () => {
    for (const database of databases) database.close();
    await server?.stop();
  });

  const read = (services: Services, ip: string, apiKey?: string) =>
    services.engine.decide({
      method: 'GET',
      path: '/api/things',
      address: parseAddress(ip),
      requestId: null,
      ...(apiKey === undefined ? {} : { apiKey }),
    });

  async function key(services: Services): Promise<{ id: string; secret: string }> {
    const answer = await call(services, createApiKey, {
      body: { name: `key ${Math.random()}`, tier: 'free', client_type: 'confidential' },
    });
    expect(answer.status).toBe(201);
    return answer.json;
  }

  it('counts the same for both instances', async () => {
    for (let i = 0; i < 50; i += 1) await Promise.all([read(first, '192.0.2.1'), read(second, '192.0.2.1')]);
    const decisions = await Promise.all([read(first, '192.0.2.1'), read(second, '192.0.2.1')]);
    expect(decisions.map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  });

  it('applies a change on one instance to the very next decision of the other', async () => {
    expect((await read(second, '192.0.2.1')).outcome).toBe('refused');
    const entry = { type: 'ip', identifier: '192.0.2.1' };
    expect((await call(first, addAllowlistEntry, { body: { ...entry, reason: 'a test' } })).status).toBe(200);
    expect((await read(second, '192.0.2.1')).outcome).toBe('bypassed');
    expect((await call(first, removeAllowlistEntry, { body: entry })).status).toBe(204);
    expect((await read(second, '192.0.2.1')).outcome).toBe('refused');
    expect((await call(second, resetCounters, { body: entry })).status).toBe(204);
    expect((await read(first, '192.0.2.1')).outcome).toBe('allowed');
    const body = { classes: { read: { ip: { limit: 2 } } } };
    expect((await call(second, patchPolicies, { body })).status).toBe(200);
    expect([await read(first, '192.0.2.1'), await read(first, '192.0.2.1')].map(({ outcome }) => outcome)).toEqual([
      'allowed',
      'refused',
    ]);
    expect((await call(second, patchPolicies, { body: { classes: { read: { ip: { limit: 100 } } } } })).status).toBe(
      200,
    );
  });

  it('shows counters and quotas, and resets a quota', async () => {
    const { id, secret } = await key(first);
    for (let i = 0; i < 5; i += 1) await read(i % 2 ? first : second, '192.0.2.2', secret);
    const counters = await call(second, inspectCounters, { query: { type: 'ip', identifier: '192.0.2.2' } });
    expect(counters.json.counters.find((counter: { class: string }) => counter.class === 'read')).toMatchObject({
      used: 5,
      limit: 100,
    });
    expect((await call(first, getQuota, { params: { api_key: id } })).json).toMatchObject({ usage: 5 });
    expect((await call(second, resetQuota, { params: { api_key: id } })).status).toBe(200);
    expect((await call(first, getQuota, { params: { api_key: id } })).json).toMatchObject({ usage: 0 });
    await read(first, '192.0.2.2', secret);
    expect((await call(first, getQuota, { params: { api_key: id } })).json).toMatchObject({ usage: 1 });
  });

  it('keeps one whole audit log while both instances change things at once', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, (_, i) => key(i % 2 ? first : second)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(12);
    expect((await call(second, verifyAuditLog)).json).toMatchObject({ valid: true });
  });

  it('keeps its counts and its rules over a restart of the server', async () => {
    for (let i = 0; i < 60; i += 1) await read(first, '192.0.2.3');
    const { secret } = await key(first);
    await server.kill();
    // A key that was made just before is no unknown key.
    expect(await read(first, '192.0.2.4', secret)).toMatchObject({ outcome: 'degraded' });
    // Reads may be served by this process alone meanwhile; nobody is told to slow down because of the outage.
    expect(await read(first, '192.0.2.3')).toMatchObject({ outcome: 'degraded' });
    await server.start();
    let decision = await read(first, '192.0.2.3');
    for (let i = 0; i < 50 && decision.degraded; i += 1) decision = await read(first, '192.0.2.3');
    expect(decision.outcome).toBe('allowed');
    expect(decision.limits?.find(({ subject }) => subject === 'ip')?.remaining).toBeLessThanOrEqual(39);
    expect((await call(second, verifyAuditLog)).json).toMatchObject({ valid: true });
    expect((await key(second)).secret).toBeTypeOf('string');
  });
});
