import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Where `sluice` is installed, in parts. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-parts-'));
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterEach(() => rmSync(folder, { recursive: true }));

const sluice = () => {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/sluice.mjs'), '--version']);
  return { status, stderr: String(stderr) };
};

describe('sluice without what it is built from', () => {
  it('says that an installation lacks a part', () => {
    const missing = `sluice: the installation in ${folder} is not complete, dist is missing: install Sluice again.\n`;
    expect(sluice()).toEqual({ status: 3, stderr: missing });
    mkdirSync(join(folder, 'dist/cli'), { recursive: true });
    writeFileSync(join(folder, 'dist/cli/main.js'), '');
    expect(sluice()).toEqual({ status: 3, stderr: missing });
  });

  it('says how to build a clone in which nothing is installed', () => {
    cpSync('server', join(folder, 'server'), { recursive: true });
    mkdirSync(join(folder, 'cli'));
    expect(sluice()).toEqual({
      status: 3,
      stderr: `sluice: ${folder} is not built, and building it failed: what builds it is not installed. Run \`npm ci --include=dev && npm run build\` there.\n`,
    });
  });
});
