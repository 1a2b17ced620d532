import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manyKeys } from '../../fixtures/many-keys';
import { ADMIN_TOKEN, type Product, startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';

/** Far more than fits between the process and a reader that does not read: about 18 MB of JSON. */
const ROWS = 100_000;

let product: Product;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-product-'));
  await manyKeys(directory, ROWS);
  product = await startProduct({ directory });
});
afterAll(async () => {
  await product?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ALLOWLIST = '/v1/admin/rate-limit/allowlist';

/** Asks, and reads nothing but the head of the answer. */
function stalled(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${product.origin}${path}`, { headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, ...headers } }, resolve).on(
      'error',
      reject,
    );
  });
}

/** Reads an answer to its end: its bytes, and whether the end was the one that was meant. */
function rest(answer: IncomingMessage): Promise<{ body: Buffer; complete: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', () => undefined);
    answer.on('close', () => resolve({ body: Buffer.concat(chunks), complete: answer.complete }));
  });
}

describe('a list of 100,000', () => {
  it.each([
    [ALLOWLIST, 'identifier'],
    ['/v1/admin/rate-limit/quotas', 'api_key_id'],
  ])('%s is whole, each row once, in pieces', async (path, name) => {
    const answer = await stalled(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'transfer-encoding': 'chunked',
    });
    const { body, complete } = await rest(answer);
    expect(complete).toBe(true);
    const rows = JSON.parse(body.toString('utf8')) as Record<string, string>[];
    expect(rows).toHaveLength(ROWS);
    expect(new Set(rows.map((row) => row[name])).size).toBe(ROWS);
  });

  it('to a reader who does not read holds nobody up, neither writers', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => stalled(ALLOWLIST)));
    const added = await product.admin('POST', ALLOWLIST, { type: 'ip', identifier: '192.0.2.1', reason: 'meanwhile' });
    expect(added.status).toBe(200);
    for (const answer of answers) answer.destroy();
  });

  it('that cannot be read to its end breaks off, so that nobody takes a part for the whole', async () => {
    // Each has begun when its head is here, and stands still while nobody reads it.
    const paths = [ALLOWLIST, ALLOWLIST, `${ALLOWLIST}?format=csv`, `${ALLOWLIST}?format=jsonl`];
    const answers = await Promise.all(
      paths.map((path, index) =>
        stalled(path, {
          'X-Request-Id': `broken-off-${index}`,
          ...(index === 1 ? { 'Accept-Encoding': 'gzip' } : {}),
        }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(answers[1]?.headers['content-encoding']).toBe('gzip');
    const other = new Libsql(join(directory, 'sluice.db'));
    other.exec('pragma busy_timeout = 5000');
    other.exec('alter table allowlist rename to gone');
    for (const { body, complete } of await Promise.all(answers.map(rest))) {
      expect(complete).toBe(false);
      expect(body.byteLength).toBeGreaterThan(0);
    }
    other.exec('alter table gone rename to allowlist');
    other.close();
    const logged = () =>
      product
        .output()
        .split('\n')
        .filter((line) => line.includes('an answer was broken off'));
    await until(() => paths.every((_, index) => logged().some((line) => line.includes(`"broken-off-${index}"`))));
    expect(product.output()).not.toContain('failed to pipe response');
    expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
  });
});

it('no stream makes Node warn of its listeners', () => {
  expect(product.output()).not.toContain('MaxListenersExceededWarning');
});
