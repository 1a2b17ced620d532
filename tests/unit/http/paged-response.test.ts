import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportResponse } from '@/lib/http/export-response';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import type { Pages } from '@/lib/http/paged-response';
import type { Context } from '@/lib/operation/operation';
import { type TestServices, testServices } from '@/tests/fixtures/services';

let process: TestServices;
let context: Context;
beforeEach(async () => {
  process = await testServices();
  context = { services: process.services, requestId: 'a-request' } as Context;
});
afterEach(() => process[Symbol.dispose]());

/** Pages that are counted as they are read; one of them may fail. */
function pagesOf(sizes: readonly number[], failing = Number.POSITIVE_INFINITY) {
  const seen = { read: 0 };
  const pages: Pages<object> = async () => {
    if (seen.read === failing) throw new Error('The database is gone.');
    const size = sizes[seen.read];
    if (size === undefined) return undefined;
    seen.read += 1;
    return Array.from({ length: size }, (_, n) => ({ page: seen.read, n }));
  };
  return { seen, pages };
}

/** Long enough for everything that is going to happen without a reader. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const FORMS = [
  ['JSON', (of: Pages<object>) => jsonArrayResponse(context, of)],
  ['CSV', (of: Pages<object>) => exportResponse(context, 'csv', 'x', [['row', JSON.stringify]], of)],
  ['JSON lines', (of: Pages<object>) => exportResponse(context, 'jsonl', 'x', [], of)],
] as const;

test.each(FORMS)('%s is read no further than its reader is, and a page ahead at the beginning', async (_, respond) => {
  const { seen, pages: source } = pagesOf(Array.from({ length: 20 }, () => 3));
  const response = await respond(source);
  await settle();
  expect(seen.read).toBe(1);
  const reader = response.body!.getReader();
  for (let taken = 1; taken <= 20; taken += 1) {
    expect((await reader.read()).done).toBe(false);
    await settle();
    expect(seen.read).toBe(taken);
  }
});

test.each(FORMS)('%s reads nothing more when the reader goes away', async (_, respond) => {
  const { seen, pages: source } = pagesOf([3, 3, 3, 3, 3]);
  const response = await respond(source);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await settle();
  expect(seen.read).toBe(1);
});

test.each(FORMS)('%s fails as a whole before it has begun, and breaks off later', async (_, respond) => {
  await expect(respond(pagesOf([3, 3, 3], 0).pages)).rejects.toThrow('The database is gone.');
  const logged: unknown[] = [];
  context.services.logger.error = (line: unknown) => logged.push(line);
  const late = await respond(pagesOf([3, 3, 3], 1).pages);
  await expect(late.text()).rejects.toThrow('The answer was broken off.');
  expect(logged).toMatchObject([{ requestId: 'a-request', err: { message: 'The database is gone.' } }]);
});

test.each([
  [[], '[]'],
  [[0, 0], '[]'],
  [[1], '[{"page":1,"n":0}]'],
  [[2, 0, 1], '[{"page":1,"n":0},{"page":1,"n":1},{"page":3,"n":0}]'],
])('pages of %j rows are one array', async (sizes, text) => {
  const response = await jsonArrayResponse(context, pagesOf(sizes).pages);
  expect(await response.text()).toBe(text);
});

test('a CSV without rows has its header', async () => {
  const empty = await exportResponse(context, 'csv', 'x', [['row', JSON.stringify]], pagesOf([]).pages);
  expect(await empty.text()).toBe('row\r\n');
});
