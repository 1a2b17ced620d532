// Checks whether these sources are built, and builds them. `.next` is the output of Next, `dist` is for other programs,
// and `.next/standalone` is the whole product, which runs without the rest of this folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildPackages } from '@/server/packages';
import { hashSources } from '@/server/sources';
import { completeStandalone } from '@/server/standalone';

const CONFIGURATION = [
  'server/contract-loader.cjs',
  'server/json-schema-loader.cjs',
  'next.config.mjs',
  'package-lock.json',
  'package.json',
  'postcss.config.mjs',
];
const COMPILED = ['app', 'components', 'drizzle', 'lib', 'instrumentation.ts', 'proxy.ts', ...CONFIGURATION];
const ADDED = ['bin', 'cli', 'client', 'docs/gateways', 'server', 'server.mjs', 'tsconfig.json'];

/** File in `.next/standalone` that names its sources. It is written last, so a folder without it is incomplete. */
const NAME = 'SOURCES';

/** Returns the folder of the whole product. */
export const locateStandalone = (root: string) => join(root, '.next', 'standalone');

const readTextOrNull = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null);

/**
 * Returns the build id: 24 digits that change with any source that Next compiles. It has no letters, because ad
 * blockers block addresses that contain `ad`.
 */
export function computeBuildId(root: string): string {
  return `${BigInt(`0x${hashSources(root, COMPILED)}`)}`.slice(0, 24);
}

/** Returns a hash of all sources of the product. */
const hashBuildSources = (root: string) => hashSources(root, [...COMPILED, ...ADDED]);

/**
 * Returns the state of the build. `stale` means built from other sources. Without sources, as in an installed package,
 * a build is always current.
 */
export function readBuildState(root: string): 'current' | 'stale' | 'missing' {
  const name = readTextOrNull(join(locateStandalone(root), NAME));
  if (name === null) return 'missing';
  if (!existsSync(join(root, 'app'))) return 'current';
  return name === hashBuildSources(root) ? 'current' : 'stale';
}

/**
 * Builds, unless a build of these sources exists. The output of a step is shown only if it fails.
 * @param check throws if building would be useless, before a minute is spent on it
 * @throws Error with a sentence for the operator
 */
export async function buildWhenNeeded(root: string, check?: () => Promise<unknown>): Promise<void> {
  const state = readBuildState(root);
  if (state === 'current') return;
  const why = state === 'stale' ? 'The sources have changed since the last build' : 'This is the first start';
  const next = findNext(state);
  requireWritable(join(root, '.next'));
  await check?.();
  console.log(`${why}: building, which takes about a minute.`);
  const begun = performance.now();
  if (readTextOrNull(join(locateStandalone(root), '.next', 'BUILD_ID')) !== computeBuildId(root)) {
    rmSync(locateStandalone(root), { recursive: true, force: true });
    await runStep(root, [next, 'build']);
  }
  // This process may run a bundle of older sources, so a new process completes the build.
  await runStep(root, ['server.mjs', '--complete-build']);
  console.log(`Built in ${Math.round((performance.now() - begun) / 1_000)} s.`);
}

/** Completes the product from the output of Next. */
export async function completeBuild(root: string): Promise<void> {
  await buildPackages(root);
  await completeStandalone(root, locateStandalone(root));
  finishBuild(root);
}

/** Marks the build as complete, with the hash of its sources. */
export function finishBuild(root: string): void {
  writeFileSync(join(locateStandalone(root), NAME), hashBuildSources(root));
}

/** Finds Next's program. @throws Error with a sentence for the operator */
function findNext(state: 'stale' | 'missing'): string {
  try {
    return createRequire(import.meta.url).resolve('next/dist/bin/next');
  } catch {
    const what = state === 'stale' ? 'The build is not of these sources' : 'Sluice is not built';
    throw new Error(
      `${what}, and what builds it is not installed: run \`npm ci --include=dev && npm run build\`. To run it afterwards, \`npm ci --omit=dev\` is enough.`,
    );
  }
}

function requireWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Sluice must be built, and this user cannot write to ${folder} (${code}).`);
  }
}

async function runStep(root: string, words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
  const [code, signal] = await once(child, 'close');
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, end);
  if (signal !== null) throw new Error(`The build was ended by ${signal}.`);
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  throw new Error('The build failed.');
}
