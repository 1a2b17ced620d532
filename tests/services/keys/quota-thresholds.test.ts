import { beforeEach, describe, expect, test } from 'vitest';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { listAudit } from '@/lib/admin/audit-log/list';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { createApiKey } from '@/lib/admin/keys/create';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { patchPolicies } from '@/lib/admin/policies/patch';
import type { Services } from '@/lib/operation/services';
import { DAY } from '@/lib/units';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();
beforeEach(async () => {
  await call(here.services, patchPolicies, { body: { tiers: { free: 10 } } });
});

async function newKey(): Promise<{ id: string; secret: string }> {
  return (await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } })).json;
}

async function use(apiKey: string, times: number, services: Services = here.services) {
  for (let n = 0; n < times; n += 1) {
    await services.engine.decide({ method: 'GET', path: '/api/x', address: null, apiKey, requestId: null });
  }
  await services.statistics.flush();
}

const events = async () => (await call(here.services, listAudit, { query: { action: 'quota.threshold' } })).json;

describe('thresholds of a quota', () => {
  test('are audit events at 80 and 100 percent, each once, by Sluice itself', async () => {
    const key = await newKey();
    await use(key.secret, 7);
    expect(await markQuotaThresholds(here.services)).toBe(0);
    await use(key.secret, 1);
    expect(await markQuotaThresholds(here.services)).toBe(1);
    await use(key.secret, 2);
    expect(await markQuotaThresholds(here.services)).toBe(1);
    await use(key.secret, 1);
    expect(await markQuotaThresholds(here.services)).toBe(0);
    const [second, first] = await events();
    expect(first).toMatchObject({
      action: 'quota.threshold',
      actor: 'system',
      target_type: 'api_key',
      target: key.id,
      after: { threshold_percent: 80, month: '2026-11', usage: 8, limit: 10 },
    });
    expect(second).toMatchObject({ after: { threshold_percent: 100, usage: 10 } });
    expect((await call(here.services, verifyAuditLog)).json).toMatchObject({ valid: true });
  });

  test('are marked once a month, whatever a reset does, and again in the next month', async () => {
    const key = await newKey();
    await use(key.secret, 8);
    expect(await markQuotaThresholds(here.services)).toBe(1);
    await call(here.services, resetQuota, { params: { api_key: key.id } });
    await use(key.secret, 8);
    expect(await markQuotaThresholds(here.services)).toBe(0);
    here.clock.advance(15 * DAY);
    await use(key.secret, 8);
    expect(await markQuotaThresholds(here.services)).toBe(1);
    expect((await events()).map((event: { after: { month: string } }) => event.after.month)).toEqual([
      '2026-12',
      '2026-11',
    ]);
  });

  test('are marked by one of several processes', async () => {
    const key = await newKey();
    const others = [await here.another(), await here.another()];
    await use(key.secret, 6);
    for (const other of others) await use(key.secret, 2, other);
    const marked = await Promise.all([here.services, ...others].map((services) => markQuotaThresholds(services)));
    expect(marked.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await events()).toHaveLength(2);
    expect((await call(here.services, verifyAuditLog)).json).toMatchObject({ valid: true });
  });
});
