// @ts-check
// The build: whether there is one of these sources, and making it. `.next` is what Next makes of them, `dist` what other
// programs run, and `.next/standalone` the whole product, which needs nothing else of this folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hashOfSources } from './sources.mjs';

const CONFIGURATION = [
  'server/contract-loader.mjs',
  'next.config.mjs',
  'package-lock.json',
  'package.json',
  'postcss.config.mjs',
];
const COMPILED = ['app', 'components', 'drizzle', 'lib', 'instrumentation.ts', 'proxy.ts', ...CONFIGURATION];
const ADDED = ['bin', 'cli', 'client', 'docs/gateways', 'server', 'server.mjs', 'tsconfig.json'];

/** Of `.next/standalone`; written last, so that a folder without it is not whole. */
const NAME = 'SOURCES';

/** @param {string} root */
export const standaloneOf = (root) => join(root, '.next', 'standalone');

/** The server that was built. @param {string} root */
export const serverOf = (root) => pathToFileURL(join(standaloneOf(root), 'server.mjs'));

/** @param {string} file */
const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null);

/**
 * The build id: 24 digits that change with any of the sources that Next compiles. Digits, because ad blockers stop
 * addresses with `ad` in them.
 * @param {string} root
 */
export function buildIdOf(root) {
  return `${BigInt(`0x${hashOfSources(root, COMPILED)}`)}`.slice(0, 24);
}

/** Changes with any of the sources of the product. @param {string} root */
const nameOfSources = (root) => hashOfSources(root, [...COMPILED, ...ADDED]);

/**
 * `stale`: built from other sources. Without sources, as in an installed package, a build is always current.
 * @param {string} root @returns {'current' | 'stale' | 'missing'}
 */
export function stateOfBuild(root) {
  const name = textOf(join(standaloneOf(root), NAME));
  if (name === null) return 'missing';
  if (!existsSync(join(root, 'app'))) return 'current';
  return name === nameOfSources(root) ? 'current' : 'stale';
}

/**
 * Builds unless there is a build of these sources. Next's output is shown only when it fails.
 * @param {string} root
 * @param {() => Promise<unknown>} [check] what must be right before a minute is spent
 * @throws Error with a sentence for the operator
 */
export async function buildWhenNeeded(root, check) {
  const state = stateOfBuild(root);
  if (state === 'current') return;
  const why = state === 'stale' ? 'The sources have changed since the last build' : 'This is the first start';
  const next = findNext(state);
  requireWritable(join(root, '.next'));
  await check?.();
  console.log(`${why}: building, which takes about a minute.`);
  const begun = performance.now();
  if (textOf(join(standaloneOf(root), '.next', 'BUILD_ID')) !== buildIdOf(root)) await compile(root, next);
  await completeBuild(root);
  console.log(`Built in ${Math.round((performance.now() - begun) / 1_000)} s.`);
}

/** Makes of what Next has compiled the whole product. @param {string} root */
export async function completeBuild(root) {
  const [{ buildPackages }, { completeStandalone }] = await Promise.all([
    import('./packages.mjs'),
    import('./standalone.mjs'),
  ]);
  await buildPackages(root);
  await completeStandalone(root, standaloneOf(root));
  finishBuild(root);
}

/** Says that the build is whole, and of which sources. @param {string} root */
export function finishBuild(root) {
  writeFileSync(join(standaloneOf(root), NAME), nameOfSources(root));
}

/** @param {'stale' | 'missing'} state */
function findNext(state) {
  try {
    return createRequire(import.meta.url).resolve('next/dist/bin/next');
  } catch {
    const what = state === 'stale' ? 'The build is not of these sources' : 'Sluice is not built';
    throw new Error(
      `${what}, and what builds it is not installed: run \`npm ci --include=dev && npm run build\`. To run it afterwards, \`npm ci --omit=dev\` is enough.`,
    );
  }
}

/** @param {string} folder */
function requireWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Error(`Sluice must be built, and this user cannot write to ${folder} (${code}).`);
  }
}

/** @param {string} root @param {string} next */
async function compile(root, next) {
  rmSync(standaloneOf(root), { recursive: true, force: true });
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
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  throw new Error('The build failed.');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await completeBuild(process.cwd());
