import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportResponse } from '@/lib/http/export-response';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import type { Context } from '@/lib/http/operation';
import { type TestServices, testServices } from '@/tests/fixtures/services';

let process: TestServices;
let context: Context;
beforeEach(async () => {
  process = await testServices();
  context = { services: process.services, requestId: 'a-request' } as Context;
});
afterEach(() => process[Symbol.dispose]());

/** Pages that are counted as they are read; one of them may fail. */
function pages(sizes: readonly number[], failing = Number.POSITIVE_INFINITY) {
  const seen = { read: 0, ended: false };
  async function* read() {
    try {
      for (const size of sizes) {
        if (seen.read === failing) throw new Error('The database is gone.');
        seen.read += 1;
        yield Array.from({ length: size }, (_, n) => ({ page: seen.read, n }));
      }
    } finally {
      seen.ended = true;
    }
  }
  return { seen, pages: read() };
}

/** Long enough for everything that is going to happen without a reader. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const FORMS = [
  ['JSON', (of: AsyncIterable<readonly object[]>) => jsonArrayResponse(context, of)],
  ['CSV', (of: AsyncIterable<readonly object[]>) => exportResponse(context, 'csv', 'x', [['row', JSON.stringify]], of)],
  ['JSON lines', (of: AsyncIterable<readonly object[]>) => exportResponse(context, 'jsonl', 'x', [], of)],
] as const;

test.each(FORMS)('%s is read no further than its reader is, and a page ahead at the beginning', async (_, respond) => {
  const { seen, pages: source } = pages(Array.from({ length: 20 }, () => 3));
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

test.each(FORMS)('%s lets go of its source when the reader goes away', async (_, respond) => {
  const { seen, pages: source } = pages([3, 3, 3, 3, 3]);
  const response = await respond(source);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  expect(seen).toEqual({ read: 1, ended: true });
});

test.each(FORMS)('%s fails as a whole before it has begun, and breaks off later', async (_, respond) => {
  await expect(respond(pages([3, 3, 3], 0).pages)).rejects.toThrow('The database is gone.');
  const logged: unknown[] = [];
  context.services.logger.error = (line: unknown) => logged.push(line);
  const late = await respond(pages([3, 3, 3], 1).pages);
  await expect(late.text()).rejects.toThrow('The answer was broken off.');
  expect(logged).toMatchObject([{ requestId: 'a-request', err: { message: 'The database is gone.' } }]);
});

test.each([
  [[], '[]'],
  [[0, 0], '[]'],
  [[1], '[{"page":1,"n":0}]'],
  [[2, 0, 1], '[{"page":1,"n":0},{"page":1,"n":1},{"page":3,"n":0}]'],
])('pages of %j rows are one array', async (sizes, text) => {
  const response = await jsonArrayResponse(context, pages(sizes).pages);
  expect(await response.text()).toBe(text);
});

test('a CSV without rows has its header', async () => {
  const empty = await exportResponse(context, 'csv', 'x', [['row', JSON.stringify]], pages([]).pages);
  expect(await empty.text()).toBe('row\r\n');
});
