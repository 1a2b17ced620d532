// Runs the server's TypeScript in a clone, before anything is built.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles `server/<name>.ts` into `.next`, and imports it. */
export async function load(name) {
  return import(await bundle(name));
}

/**
 * Bundles `server/<name>.ts` into `.next`. Returns the address of the bundle. Several processes may do this at once.
 */
export async function bundle(name) {
  const { buildSync } = await import('esbuild');
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [`server/${name}.ts`],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    packages: 'external',
    write: false,
  });
  const file = locateBundle(name);
  const [{ text }] = outputFiles;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return file.href;
  const draft = new URL(`${file.href}.${process.pid}`);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(draft, text);
  renameSync(draft, file);
  return file.href;
}

const locateBundle = (name) => new URL(`../.next/${name}.mjs`, import.meta.url);
