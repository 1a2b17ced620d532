import { beforeEach, expect, test } from 'vitest';
import { downloadResponse, jsonArrayResponse, type Pages } from '@/lib/http/paged-response';

const faults: unknown[] = [];
const onFault = (fault: unknown) => faults.push(fault);
beforeEach(() => {
  faults.length = 0;
});

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
  ['JSON', (of: Pages<object>) => jsonArrayResponse(of, onFault)],
  ['CSV', (of: Pages<object>) => downloadResponse('csv', 'x', [['row', JSON.stringify]], of, onFault)],
  ['JSON lines', (of: Pages<object>) => downloadResponse('jsonl', 'x', [], of, onFault)],
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
  const late = await respond(pagesOf([3, 3, 3], 1).pages);
  await expect(late.text()).rejects.toThrow('The answer was broken off.');
  expect(faults).toMatchObject([{ message: 'The database is gone.' }]);
});

test.each([
  [[], '[]'],
  [[0, 0], '[]'],
  [[1], '[{"page":1,"n":0}]'],
  [[2, 0, 1], '[{"page":1,"n":0},{"page":1,"n":1},{"page":3,"n":0}]'],
])('pages of %j rows are one array', async (sizes, text) => {
  const response = await jsonArrayResponse(pagesOf(sizes).pages, onFault);
  expect(await response.text()).toBe(text);
});

test('a CSV without rows has its header', async () => {
  const empty = await downloadResponse('csv', 'x', [['row', JSON.stringify]], pagesOf([]).pages, onFault);
  expect(await empty.text()).toBe('row\r\n');
});
