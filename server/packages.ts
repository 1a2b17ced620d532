// Makes `dist` (`npm run packages`) for other programs: the command line (`dist/cli`) and the client (`dist/client`).
// Each is bundled with its libraries. `dist` also contains the manifest of the operations.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildOptions, Plugin } from 'esbuild';
import { type ClientParts, makeClient } from '@/server/client-package';
import { hashSources } from '@/server/sources';

const SOURCES = [
  ...['cli', 'client', 'lib'],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
  ...['packages', 'client-package'].map((name) => `server/${name}.ts`),
];

/** File that names the sources. It is written last, so a folder without it is incomplete. */
const NAME = 'SOURCES';

/**
 * Returns the state of the packages. `stale` means made from other sources. Without sources, as in an installed
 * package, they are always current.
 */
export function readPackagesState(root: string): 'current' | 'stale' | 'missing' {
  const name = join(root, 'dist', NAME);
  if (!existsSync(name)) return 'missing';
  if (!existsSync(join(root, 'cli'))) return 'current';
  return readFileSync(name, 'utf8') === hashSources(root, SOURCES) ? 'current' : 'stale';
}

/**
 * Makes `dist`, unless it was made from these sources. It replaces the folder at once, because another process may be
 * using it.
 */
export async function buildPackages(root: string): Promise<void> {
  if (readPackagesState(root) === 'current') return;
  const draft = join(root, `.dist-${process.pid}`);
  try {
    const { manifest, ...client } = await extractFromContracts(root, draft);
    await Promise.all([bundleCli(root, draft), makeClient(root, draft, (options) => bundle(root, options), client)]);
    writeFileSync(join(draft, 'manifest.json'), manifest);
    writeFileSync(join(draft, NAME), hashSources(root, SOURCES));
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

/**
 * Banner for modules with CommonJS libraries, which load Node's modules with `require`. ES modules have no `require`.
 */
export const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);";

/** Extracts from the contracts the manifest, as JSON, and what the client contains of them. */
async function extractFromContracts(root: string, draft: string) {
  const outfile = join(draft, 'contracts.mjs');
  mkdirSync(draft, { recursive: true });
  await bundle(root, {
    stdin: {
      contents: `
        import { CONTRACTS } from '@/lib/contract/contracts';
        import { clientTypes } from '@/lib/openapi/client-types';
        import { buildManifest } from '@/lib/openapi/manifest';
        import { commandNames, operationTable } from '@/lib/openapi/operation-table';
        import packageJson from '@/package.json';
        export const manifest = JSON.stringify(buildManifest(CONTRACTS, packageJson.version));
        export const table = operationTable(CONTRACTS);
        export const names = commandNames(table);
        export const types = clientTypes(CONTRACTS);`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    platform: 'node',
    target: 'node20.12',
    minify: false,
  });
  const extracted = (await import(pathToFileURL(outfile).href)) as { manifest: string } & ClientParts;
  rmSync(outfile);
  return extracted;
}

/**
 * Stubs out `child_process`, which commander loads for commands that are separate programs. There are none here.
 * Loading it takes a tenth of the start.
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

/** Bundles the command line. Dynamic imports become separate files. */
async function bundleCli(root: string, draft: string): Promise<void> {
  await bundle(root, {
    entryPoints: { main: 'cli/main.ts' },
    outdir: join(draft, 'cli'),
    chunkNames: '[name]-[hash]',
    splitting: true,
    platform: 'node',
    target: 'node20.12',
    // CommonJS code needs `__dirname`.
    banner: { js: `${REQUIRE}const __dirname = import.meta.dirname;` },
    plugins: [WITHOUT_CHILD_PROCESSES],
    // `libsql` has a native part.
    external: ['libsql'],
  });
  copyFileSync(join(root, 'cli', 'completion', 'completion.bash'), join(draft, 'cli', 'completion.bash'));
}
