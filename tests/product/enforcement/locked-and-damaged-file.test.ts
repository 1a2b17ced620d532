import { closeSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkMany } from '@/tests/fixtures/instances';
import { type Product, startProduct } from '@/tests/fixtures/product';

const PAGE = 4096;
/** Pages of a file that are damaged, as a disk does it: the number of the page, and its bytes. */
const DAMAGE = fc.array(
  fc.tuple(
    fc.noBias(fc.nat(9_999)),
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.uint8Array({ minLength: PAGE, maxLength: PAGE, size: 'max' }),
    ),
  ),
  { minLength: 1, maxLength: 8 },
);
const READS = [
  ...['api-keys', 'audit', 'tokens', 'members', 'policies', 'route-rules', 'limits', 'state', 'statistics'],
  ...['decisions', 'webhooks', 'alerts', 'incident', 'grants', 'rate-limit/allowlist', 'rate-limit/quotas'],
].map((path) => `/v1/admin/${path}`);

/** Runs a statement as another program. It cannot after some damage. */
function attempt(database: Libsql.Database, statement: string): void {
  try {
    database.exec(statement);
  } catch (error) {
    expect(String(error)).toMatch(/malformed|locked/);
  }
}

describe('a file that another program locks or damages', () => {
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

  it('decides by a change right before the lock, though nothing was decided by it before', async () => {
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

  it('ends no process and loses nothing that is acknowledged, wherever pages change while it runs', async () => {
    for (let user = 0; user < 40; user += 1) {
      const entry = { type: 'user_id', identifier: `user ${user} ${'x'.repeat(200)}`, reason: 'y'.repeat(400) };
      expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
    }
    const path = join(product.directory, 'sluice.db');
    const answers: number[] = [];
    for (const [round, damage] of fc.sample(DAMAGE, { numRuns: 10, seed: 20_261_127 }).entries()) {
      // Moves the log into the file, so that its pages are read from there.
      attempt(other, 'pragma wal_checkpoint(truncate)');
      const opened = openSync(path, 'r+');
      const pages = Math.floor(statSync(path).size / PAGE) - 1;
      for (const [page, bytes] of damage) writeSync(opened, bytes, 0, bytes.length, PAGE * (1 + (page % pages)));
      fsyncSync(opened);
      closeSync(opened);
      // A write by another program empties the cache of pages.
      attempt(other, `pragma user_version = ${round + 1}`);
      for (const read of READS) {
        const { status } = await product.admin('GET', read);
        expect([200, 503], read).toContain(status);
        answers.push(status);
      }
      const [decided] = await checkMany(product, [{ class: 'read', user_id: `user ${round}` }]);
      expect(decided).toMatchObject({ allowed: true });
      const entry = { type: 'user_id', identifier: `new ${round}`, reason: 'a change after damage' };
      const change = await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry);
      expect([200, 503]).toContain(change.status);
      const list = await product.admin('GET', '/v1/admin/rate-limit/allowlist');
      if (change.ok && list.ok) expect(await list.text()).toContain(`"new ${round}"`);
      expect((await product.admin('GET', '/healthz')).status).toBe(200);
    }
    expect(new Set(answers)).toEqual(new Set([200, 503]));
    expect(product.process.exitCode ?? product.process.signalCode).toBeNull();
  });
});
