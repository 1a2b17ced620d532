import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check, type Instances, type Shared, startInstances } from '@/tests/fixtures/instances';
import type { Product } from '@/tests/fixtures/product';
import { redisIsMissing } from '@/tests/fixtures/redis-server';
import { sqldIsMissing } from '@/tests/fixtures/sqld-server';

const SHARED: readonly Shared[] = ['file and Redis', 'sqld', 'sqld and Redis'];
const missing = [redisIsMissing('api/instances (changes)'), sqldIsMissing('api/instances (changes)')].includes(true);

describe.skipIf(missing).each(SHARED)(
  'two instances on %s: a change on one applies to the very next decision on the other',
  (shared) => {
    let instances: Instances;
    let here: Product;
    let there: Product;
    beforeAll(async () => {
      instances = await startInstances({ count: 2, shared });
      [here, there] = instances.all as [Product, Product];
    });
    afterAll(() => instances?.stop());

    const ROUNDS = 10;
    /** Both ways, again and again: the instance that changes and the one that decides. */
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
    const pair = (round: number): [Product, Product] => (round % 2 === 0 ? [here, there] : [there, here]);

    async function change(product: Product, method: string, path: string, body?: unknown): Promise<Response> {
      const response = await product.admin(method, path, body);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response;
    }

    async function newKey(product: Product, name: string): Promise<{ id: string; secret: string }> {
      const fields = { name, tier: 'free', client_type: 'confidential' };
      return (await (await change(product, 'POST', '/v1/admin/api-keys', fields)).json()) as {
        id: string;
        secret: string;
      };
    }

    it('the allowlist', async () => {
      for (const round of rounds) {
        const [changes, decides] = pair(round);
        const entry = { type: 'ip', identifier: `203.0.113.${round}` };
        const question = { class: 'read', ip: entry.identifier };
        expect(await check(decides, question)).not.toHaveProperty('status');
        await change(changes, 'POST', '/v1/admin/rate-limit/allowlist', { ...entry, reason: 'an office' });
        expect(await check(decides, question)).toMatchObject({ status: 'bypassed' });
        await change(changes, 'DELETE', '/v1/admin/rate-limit/allowlist', entry);
        expect(await check(decides, question)).not.toHaveProperty('status');
      }
    });

    it('a policy', async () => {
      for (const round of rounds) {
        const [changes, decides] = pair(round);
        const limit = 200 + round;
        await change(changes, 'PATCH', '/v1/admin/policies', { classes: { write: { ip: { limit } } } });
        expect(await check(decides, { class: 'write', ip: '203.0.113.200' })).toMatchObject({ limit });
      }
    });

    it('a tier', async () => {
      const { id } = await newKey(here, 'tiers');
      for (const round of rounds) {
        const [changes, decides] = pair(round);
        const tier = round % 2 === 0 ? 'starter' : 'business';
        await change(changes, 'PUT', `/v1/admin/rate-limit/quota/${id}/tier`, { tier });
        const { quota } = await check(decides, { class: 'read', api_key: id });
        expect(quota?.limit).toBe(tier === 'starter' ? 10_000 : 100_000);
        expect(quota?.remaining).toBe((quota?.limit ?? 0) - round - 1);
      }
    });

    it('a key that is made, rotated and revoked', async () => {
      for (const round of rounds) {
        const [changes, decides] = pair(round);
        const { id, secret } = await newKey(changes, `key ${round}`);
        expect(await check(decides, { class: 'read', api_key: secret })).toMatchObject({ allowed: true });
        const rotated = await change(changes, 'POST', `/v1/admin/api-keys/${id}/rotate`, { grace_seconds: 0 });
        const next = (await rotated.json()) as { secret: string };
        expect(await check(decides, { class: 'read', api_key: secret })).toMatchObject({ error: 'invalid_api_key' });
        expect(await check(decides, { class: 'read', api_key: next.secret })).toMatchObject({ allowed: true });
        await change(changes, 'DELETE', `/v1/admin/api-keys/${id}`);
        expect(await check(decides, { class: 'read', api_key: next.secret })).toMatchObject({
          error: 'invalid_api_key',
        });
      }
    });

    it('a reset of counters and of a quota', async () => {
      const { id } = await newKey(here, 'resets');
      for (const round of rounds) {
        const [changes, decides] = pair(round);
        const question = { class: 'auth', ip: '203.0.113.201', api_key: id };
        for (let i = 0; i < 10; i += 1)
          expect(await check(i % 2 === 0 ? here : there, question)).toMatchObject({ allowed: true });
        expect(await check(decides, question)).toMatchObject({ error: 'rate_limit_exceeded' });
        await change(changes, 'POST', '/v1/admin/rate-limit/reset', { type: 'ip', identifier: '203.0.113.201' });
        await change(changes, 'POST', `/v1/admin/rate-limit/quota/${id}/reset`);
        expect(await check(decides, question)).toMatchObject({ allowed: true, quota: { remaining: 999 } });
        await change(changes, 'POST', '/v1/admin/rate-limit/reset', { type: 'ip', identifier: '203.0.113.201' });
        await change(changes, 'PATCH', '/v1/admin/policies', { clients: { confidential: { limit: 1000 } } });
      }
    });
  },
);
