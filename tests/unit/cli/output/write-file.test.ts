import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireWritable, writeWholeFile } from '@/cli/output/write-file';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-write-'));
  file = join(folder, 'report.json');
  writeFileSync(file, 'an earlier one', { mode: 0o640 });
});
afterEach(() => rmSync(folder, { recursive: true }));

it('replaces a file, which keeps its permissions', async () => {
  await writeWholeFile(file, ['a', 'b']);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['ab', 0o640]);
});

it('replaces the file behind a link', async () => {
  const link = join(folder, 'latest.json');
  symlinkSync('report.json', link);
  await writeWholeFile(link, ['ab']);
  expect([readFileSync(file, 'utf8'), readlinkSync(link)]).toEqual(['ab', 'report.json']);
});

it('leaves an earlier file as it was if the content breaks off', async () => {
  async function* breakOff() {
    yield new Uint8Array(10);
    throw new Error('broken off');
  }
  await expect(writeWholeFile(file, breakOff())).rejects.toThrow('broken off');
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.part`)]).toEqual(['an earlier one', false]);
});

it('writes to a pipe, which stays', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const read = readFile(pipe, 'utf8');
  await writeWholeFile(pipe, ['ab']);
  expect([await read, statSync(pipe).isFIFO()]).toEqual(['ab', true]);
});

it.each([
  ['/dev/full', 'ENOSPC'],
  ['no/such/folder', 'ENOENT'],
  ['/', 'EISDIR'],
])('says why %s cannot be written', async (path, code) => {
  await expect(writeWholeFile(path, ['ab'])).rejects.toThrow(`${path} cannot be written (${code}).`);
});

it('tries a file without changing it', () => {
  requireWritable(file);
  expect(readFileSync(file, 'utf8')).toBe('an earlier one');
  expect(() => requireWritable(join(folder, 'no', 'folder'))).toThrow('cannot be written (ENOENT)');
});
