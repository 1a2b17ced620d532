import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkMany } from '@/tests/fixtures/instances';
import { type Product, startProduct } from '@/tests/fixtures/product';

describe('a file that another program locks right after a change', () => {
  let product: Product;
  let other: Libsql.Database;
  beforeAll(async () => {
    product = await startProduct();
    other = new Libsql(join(product.directory, 'sluice.db'));
  });
  afterAll(async () => {
    other?.close();
    await product?.stop();
  });

  it('decides by that change, though nothing was decided by it before', async () => {
    const entry = { type: 'user_id', identifier: 'user', reason: 'a change just before' };
    expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
    other.exec('begin immediate');
    const [user, stranger] = await checkMany(product, [
      { class: 'read', user_id: 'user' },
      { class: 'read', user_id: 'stranger' },
    ]);
    // Neither does what only reads wait for the lock.
    const page = await product.admin('GET', '/v1/admin/api-keys');
    other.exec('rollback');
    // A bypass has no limit.
    expect(user).toMatchObject({ allowed: true, status: 'degraded', limit: null });
    expect(stranger).toMatchObject({ allowed: true, status: 'degraded', limit: expect.any(Number) });
    expect(page.status).toBe(200);
  });
});
