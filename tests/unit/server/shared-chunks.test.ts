import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shareChunks } from '../../../server/shared-chunks.mjs';

const require = createRequire(import.meta.url);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-chunks-'));
  mkdirSync(join(folder, 'ssr'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const chunk = (id: number, map: string) => `module.exports=[${id},()=>${id}];\n\n//# sourceMappingURL=${map}.map\n`;

it('keeps one of the chunks that differ in their source maps only; what requires a copy gets the very same modules', () => {
  write('[root]_b.js', chunk(1, 'b'));
  write('_c"quoted".js', chunk(1, 'c'));
  write('other.js', chunk(2, 'other'));
  write('ssr/[root]_a.js', chunk(1, 'a'));
  const copies = ['[root]_b.js', '_c"quoted".js', 'ssr/[root]_a.js'];
  for (let times = 0; times < 2; times += 1) {
    shareChunks(folder);
    expect(copies.filter((name) => read(name).includes('()=>1'))).toHaveLength(1);
    expect(read('other.js')).toContain('()=>2');
  }
  const [first, ...others] = copies.map((name) => require(join(folder, name)));
  expect(first[1]()).toBe(1);
  for (const other of others) expect(other).toBe(first);
});

it('leaves alone what is no list of modules', () => {
  const runtime = 'const modules = new Map();\n//# sourceMappingURL=runtime.map\n';
  for (const name of ['runtime.js', 'ssr/runtime.js', 'text.json']) write(name, runtime);
  shareChunks(folder);
  expect(readdirSync(folder, { recursive: true }).filter((name) => /\./.test(`${name}`))).toHaveLength(3);
  for (const name of ['runtime.js', 'ssr/runtime.js', 'text.json']) expect(read(name)).toBe(runtime);
});
