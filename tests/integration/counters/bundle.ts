import { mkdirSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Makes a plain module of a TypeScript file, for a child process to run; answers its path. */
export async function bundle(entry: string): Promise<string> {
  const folder = `${root}node_modules/.cache/sluice-tests`;
  mkdirSync(folder, { recursive: true });
  const path = `${folder}/${entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs')}`;
  const outfile = `${path}.${process.pid}`;
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  // At once: another test file may be running the same module.
  renameSync(outfile, path);
  return path;
}
