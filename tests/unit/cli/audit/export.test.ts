import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportTo } from '@/cli/audit/export';
import type { StreamedAnswer } from '@/cli/exchange';
import type { Output } from '@/cli/output/output';

const output = { note: () => undefined } as unknown as Output;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-export-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const answer = (...parts: string[]) =>
  ({ body: new Response(new Blob(parts)).body }) as unknown as Pick<StreamedAnswer, 'body'> as StreamedAnswer;

it('an export replaces a file', async () => {
  const file = join(folder, 'export.jsonl');
  writeFileSync(file, 'an earlier one');
  await exportTo(output, answer('{"seq":1}\n', '{"seq":2}\n'), file);
  expect(readFileSync(file, 'utf8')).toBe('{"seq":1}\n{"seq":2}\n');
});
