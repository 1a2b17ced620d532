// Makes `dist` (`npm run packages`), what other programs run of this package: the command line (`dist/cli`) and the
// client (`dist/client`), each one bundle with its libraries, and the manifest of the operations that both are made from.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildOptions, Plugin } from 'esbuild';
import { makeClient } from '@/server/client-package';
import { hashOfSources } from '@/server/sources';

const SOURCES = [
  ...['cli', 'client', 'lib'],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
  ...['packages', 'client-package'].map((name) => `server/${name}.ts`),
];

/** Written last, so that a folder without it is not whole. */
const NAME = 'SOURCES';

/** `stale`: made from other sources. Without sources, as in an installed package, it is always current. */
export function stateOfPackages(root: string): 'current' | 'stale' | 'missing' {
  const name = join(root, 'dist', NAME);
  if (!existsSync(name)) return 'missing';
  if (!existsSync(join(root, 'cli'))) return 'current';
  return readFileSync(name, 'utf8') === hashOfSources(root, SOURCES) ? 'current' : 'stale';
}

/** Makes `dist` again, unless it is of these sources. Takes its place at once: another process may be running it. */
export async function buildPackages(root: string): Promise<void> {
  if (stateOfPackages(root) === 'current') return;
  const draft = join(root, `.dist-${process.pid}`);
  try {
    const manifest = await makeManifest(root, draft);
    await Promise.all([bundleCli(root, draft), makeClient(root, draft, (options) => bundle(root, options))]);
    writeFileSync(join(draft, 'manifest.json'), manifest);
    writeFileSync(join(draft, NAME), hashOfSources(root, SOURCES));
    const old = join(root, `.dist-old-${process.pid}`);
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
    renameSync(draft, join(root, 'dist'));
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Bundles modules of the product and their libraries. */
export async function bundle(root: string, options: BuildOptions): Promise<void> {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
}

/** CommonJS libraries ask for Node's own modules by `require`, which a module does not have. */
export const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);";

/** The contracts as JSON. */
async function makeManifest(root: string, draft: string): Promise<string> {
  const outfile = join(draft, 'manifest.mjs');
  mkdirSync(draft, { recursive: true });
  await bundle(root, {
    stdin: {
      contents: `
        import { CONTRACTS } from '@/lib/contract/contracts';
        import { manifestOf } from '@/lib/openapi/manifest';
        import packageJson from '@/package.json';
        export default JSON.stringify(manifestOf(CONTRACTS, packageJson.version));`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    platform: 'node',
    target: 'node20.12',
    minify: false,
  });
  const { default: manifest } = (await import(pathToFileURL(outfile).href)) as { default: string };
  rmSync(outfile);
  return manifest;
}

/**
 * commander loads `child_process` for commands that are programs of their own, of which we have none: a tenth of what a
 * start takes.
 */
const WITHOUT_CHILD_PROCESSES: Plugin = {
  name: 'without-child-processes',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[/\\]commander[/\\]/.test(importer) ? { path: 'nothing', namespace: 'nothing' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** What is imported when it is used becomes a file of its own. */
async function bundleCli(root: string, draft: string): Promise<void> {
  await bundle(root, {
    entryPoints: { main: 'cli/main.ts' },
    outdir: join(draft, 'cli'),
    chunkNames: '[name]-[hash]',
    splitting: true,
    platform: 'node',
    target: 'node20.12',
    // What was made for CommonJS asks where it is.
    banner: { js: `${REQUIRE}const __dirname = import.meta.dirname;` },
    plugins: [WITHOUT_CHILD_PROCESSES],
    // It has a native part.
    external: ['libsql'],
  });
  copyFileSync(join(root, 'cli', 'completion', 'completion.bash'), join(draft, 'cli', 'completion.bash'));
}
