import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from '../../fixtures/product';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product?.stop());

/** Addresses that are far apart in the order of their counters: each is on a page of its own. */
function scattered(i: number): string {
  const number = (i * 611_953) % 2 ** 24;
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

it('the log of the database is copied on a thread, long before the connection would, and the process ends orderly', async () => {
  const log = join(product.directory, 'sluice.db-wal');
  const header = Buffer.alloc(32);
  const file = openSync(log, 'r');
  /** How often the log was begun anew. */
  const generation = () => readSync(file, header, 0, 32, 0) && header.readUInt32BE(12);
  const before = generation();
  for (let batch = 0; generation() === before; batch += 1) {
    const checks = Array.from({ length: 1_000 }, (_, i) => ({ class: 'read', ip: scattered(batch * 1_000 + i) }));
    expect((await product.admin('POST', '/v1/check/batch', checks)).status).toBe(200);
    // The connection would at 256 MiB.
    expect(statSync(log).size).toBeLessThan(192 * 2 ** 20);
  }
  closeSync(file);
  expect(await product.stop()).toBe(0);
  expect(product.output()).not.toMatch(/checkpoint|panicked/);
});
