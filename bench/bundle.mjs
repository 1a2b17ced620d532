import { mkdirSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles a TypeScript file and its local imports into one module. Returns its path.
 * @param {string} entry
 */
export async function bundle(entry) {
  const folder = `${root}node_modules/.cache/sluice-bundles`;
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
    logLevel: 'warning',
  });
  // The rename is atomic, because another process may be running the same module.
  renameSync(outfile, path);
  return path;
}
