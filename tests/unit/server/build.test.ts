import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildWhenNeeded, computeBuildId, finishBuild, readBuildState } from '../../../server/build';

let root: string;
const at = (...names: string[]) => join(root, ...names);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  for (const folder of ['app', 'components', 'drizzle', 'lib', 'server']) {
    mkdirSync(at(folder, 'inner'), { recursive: true });
    writeFileSync(at(folder, 'inner', 'file.ts'), folder);
  }
  for (const name of ['instrumentation.ts', 'next.config.mjs', 'package-lock.json', 'package.json', 'proxy.ts'])
    writeFileSync(at(name), name);
  writeFileSync(at('postcss.config.mjs'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** As if a build had ended now. */
const built = () => finishBuild(root);

it('a build is missing, current, or stale when any source has changed', () => {
  mkdirSync(at('.next', 'standalone'), { recursive: true });
  expect(readBuildState(root)).toBe('missing');
  built();
  expect(readBuildState(root)).toBe('current');
  const changes: (() => void)[] = [
    () => appendFileSync(at('lib', 'inner', 'file.ts'), '.'),
    () => writeFileSync(at('app', 'new.ts'), ''),
    () => renameSync(at('components', 'inner', 'file.ts'), at('components', 'inner', 'other.ts')),
    () => rmSync(at('drizzle', 'inner', 'file.ts')),
    () => appendFileSync(at('package-lock.json'), '.'),
    () => appendFileSync(at('server', 'inner', 'file.ts'), '.'),
  ];
  for (const change of changes) {
    built();
    change();
    expect(readBuildState(root)).toBe('stale');
  }
});

it('a build stays current whatever is not built, and where the sources were left behind', () => {
  mkdirSync(at('.next', 'standalone'), { recursive: true });
  built();
  for (const name of ['README.md', join('lib', '.swap')]) writeFileSync(at(name), 'x');
  expect(readBuildState(root)).toBe('current');
  for (const folder of ['app', 'components', 'lib']) rmSync(at(folder), { recursive: true });
  expect(readBuildState(root)).toBe('current');
});

it('compiles again what Next compiles, and nothing else', () => {
  const id = computeBuildId(root);
  appendFileSync(at('server', 'inner', 'file.ts'), '.');
  expect(computeBuildId(root)).toBe(id);
  appendFileSync(at('lib', 'inner', 'file.ts'), '.');
  expect(computeBuildId(root)).not.toBe(id);
});

it('names a build by digits, in which no blocker of advertisements reads anything', () => {
  expect(computeBuildId(root)).toMatch(/^\d{24}$/);
});

it('says in a sentence that the place of the build cannot be written to', async () => {
  writeFileSync(at('.next'), 'a file');
  await expect(buildWhenNeeded(root)).rejects.toThrow(`this user cannot write to ${at('.next')} (EEXIST)`);
});
