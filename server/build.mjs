// @ts-check
// The build: whether there is one of these sources, and making it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { buildPackages } from './packages.mjs';
import { compressStatic } from './static-files.mjs';

const FOLDERS = ['app', 'components', 'drizzle', 'lib'];
const CONFIGURATION = ['next.config.mjs', 'package-lock.json', 'package.json', 'postcss.config.mjs'];
const FILES = [...CONFIGURATION, 'instrumentation.ts', 'proxy.ts'];

/**
 * The build id: 24 digits that change with any of the sources. Digits, because ad blockers stop addresses with `ad` in
 * them.
 * @param {string} root
 */
export function nameOfSources(root) {
  const hash = createHash('sha256');
  const inside = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  // A package from `npm pack` has no lock file.
  const files = FILES.map((name) => join(root, name)).filter((file) => existsSync(file));
  for (const file of [...files, ...inside].sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)} ${content.length}\n`).update(content);
  }
  return `${BigInt(`0x${hash.digest('hex')}`)}`.slice(0, 24);
}

/**
 * `stale`: built from other sources. Without sources, as in a deployment package, a build is always current.
 * @param {string} root @returns {'current' | 'stale' | 'missing'}
 */
export function stateOfBuild(root) {
  const id = join(root, '.next', 'BUILD_ID');
  if (!existsSync(id)) return 'missing';
  if (!existsSync(join(root, 'app'))) return 'current';
  return readFileSync(id, 'utf8').trim() === nameOfSources(root) ? 'current' : 'stale';
}

/**
 * Builds unless there is a build of these sources. Next's output is shown only when it fails.
 * @param {string} root @throws Error with a sentence for the operator
 */
export async function buildWhenNeeded(root) {
  const state = stateOfBuild(root);
  if (state === 'current') return compressStatic(root);
  const folder = join(root, '.next');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Error(`Sluice must be built, and this user cannot write to ${folder} (${code}).`);
  }
  const why = state === 'stale' ? 'The sources have changed since the last build' : 'This is the first start';
  console.log(`${why}: building, which takes about a minute.`);
  const begun = performance.now();
  const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
  const child = spawn(process.execPath, [next, 'build'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @param {NodeJS.Signals} signal */
  const end = (signal) => child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end);
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
  const [code, signal] = await once(child, 'close');
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, end);
  if (signal !== null) throw new Error(`The build was ended by ${signal}.`);
  if (code !== 0) {
    process.stderr.write(Buffer.concat(output));
    throw new Error('The build failed.');
  }
  await compressStatic(root);
  await buildPackages(root);
  console.log(`Built in ${Math.round((performance.now() - begun) / 1_000)} s.`);
}
