import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Product, startProduct } from '@/tests/fixtures/product';

let first: Product;
let second: Product;
beforeAll(async () => {
  first = await startProduct();
  second = await startProduct({ env: { DATABASE_URL: `file:${join(first.directory, 'sluice.db')}` } });
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
});

const PATH = '/v1/admin/rate-limit/allowlist';
const either = (index: number) => (index % 2 === 0 ? first : second);

test('changes through two processes on one file at the same time are all made', async () => {
  const statuses = new Set<number>();
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        either(index).admin('POST', PATH, { type: 'user_id', identifier: `${round}-${index}`, reason: 'x' }),
      ),
    );
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses]).toEqual([200]);
  const entries = await (await second.admin('GET', PATH)).json();
  expect(entries).toHaveLength(200);
});

test('one request sent to both twenty times has one effect and one answer', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const answer = await either(index).admin('POST', '/v1/admin/api-keys', { name: 'one', tier: 'free' }, headers);
      return `${answer.status} ${await answer.text()}`;
    }),
  );
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/^201 .*"secret":"slk_/);
  expect(await (await first.admin('GET', '/v1/admin/api-keys')).json()).toHaveLength(1);
});
