import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Makes a plain module of a TypeScript file, for a child process to run; answers its path. Each test file has its own. */
export async function bundle(entry: string): Promise<string> {
  const folder = `${root}node_modules/.cache/sluice-tests`;
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}/${entry.replaceAll('/', '-').replace(/\.ts$/, '')}-${process.pid}.mjs`;
  process.once('exit', () => rmSync(outfile, { force: true }));
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
  return outfile;
}
