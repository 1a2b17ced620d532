import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { type Pages, streamDownload, streamJsonArray } from '@/lib/http/paged-response';

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
  ['JSON', (of: Pages<object>) => streamJsonArray(of, onFault)],
  ['CSV', (of: Pages<object>) => streamDownload('csv', 'x', [['row', JSON.stringify]], of, onFault)],
  ['JSON lines', (of: Pages<object>) => streamDownload('jsonl', 'x', [], of, onFault)],
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
  const response = await streamJsonArray(pagesOf(sizes).pages, onFault);
  expect(await response.text()).toBe(text);
});

test('a CSV without rows has its header', async () => {
  const empty = await streamDownload('csv', 'x', [['row', JSON.stringify]], pagesOf([]).pages, onFault);
  expect(await empty.text()).toBe('row\r\n');
});

/** Splits a line as a spreadsheet does whose separator is this one. Quotes count only at the start of a cell. */
function splitCells(line: string, separator: ',' | ';'): string[] {
  const cells =
    line.match(new RegExp(`(?:^|${separator})(?:"(?:[^"]|"")*"[^${separator}]*|[^${separator}]*)`, 'g')) ?? [];
  return cells.map((cell) => cell.replace(new RegExp(`^${separator}`), '').replace(/^"((?:[^"]|"")*)"/, '$1'));
}

test('no cell is a formula, whichever separator a spreadsheet takes', async () => {
  const part = fc.constantFrom(...'=+-@＝＋－＠', ';', ',', '"', ' ', '\u00a0', '\u3000', "'", 'a', '1', '\t', '\n');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const texts = [[{ text: parts.join('') }]];
      const pages: Pages<{ text: string }> = async () => texts.pop();
      const column = ['text', ({ text }: { text: string }) => text] as const;
      const answer = await streamDownload('csv', 'x', [['first', () => 'x'], column], pages, onFault);
      const csv = await answer.text();
      for (const separator of [',', ';'] as const)
        for (const cell of csv
          .slice(csv.indexOf('\n') + 1)
          .split(separator === ';' ? /[\r\n]/ : '\r\n')
          .flatMap((line) => splitCells(line, separator)))
          expect(cell.replace(/^[\s"]+/, ''), JSON.stringify(csv)).not.toMatch(/^[=+\-@＝＋－＠]/);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['=1', "'=1"],
  [' =1', "' =1"],
  ["a;=cmd|' /C calc'!A0;", "a;'=cmd|' /C calc'!A0;"],
  ['a; @x', "a;' @x"],
  ['a=1;b-2', 'a=1;b-2'],
])('%s is written as %s', async (text, cell) => {
  const texts = [[text]];
  const answer = await streamDownload(
    'csv',
    'x',
    [['text', (value: string) => value]],
    async () => texts.pop(),
    onFault,
  );
  expect(await answer.text()).toBe(`text\r\n${cell}\r\n`);
});
