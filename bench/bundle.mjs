import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Makes one module of a TypeScript file and what it imports of ours, and answers its address. */
export async function bundle(entry) {
  const folder = `${root}node_modules/.cache/sluice-bench`;
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}/${entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs')}`;
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return pathToFileURL(outfile).href;
}
