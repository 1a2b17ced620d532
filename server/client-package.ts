// Makes `dist/client`: `sluice/client` and its adapters as modules without dependencies. Their declarations refer to no
// contract and not to zod. It is a separate package, which an application installs without the server.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuildOptions } from 'esbuild';
import type { ClientTypes } from '@/lib/openapi/client-types';

type Bundle = (options: BuildOptions) => Promise<unknown>;

const ADAPTERS = ['express', 'express-rate-limit', 'fastify', 'fetch', 'hono', 'koa', 'next', 'upstash-ratelimit'];

/** Entry points with declarations: the name of the bundle in `dist/client`, and its source. */
const ENTRIES: Record<string, string> = {
  index: 'client/index.ts',
  ...Object.fromEntries(ADAPTERS.map((name) => [name, `client/adapters/${name}.ts`])),
};

/** The index for platforms that can do more. It has the declarations of `index`. */
const PLATFORMS: Record<string, string> = Object.fromEntries(
  ['index.immediate', 'index.node'].map((name) => [name, `client/${name}.ts`]),
);

/** What the client contains of the contracts: its operations by their commands, and their types. */
export interface ClientParts {
  table: unknown;
  names: string;
  types: ClientTypes;
}

/**
 * Builds the client.
 * @param draft the folder that becomes `dist`
 */
export async function makeClient(
  root: string,
  draft: string,
  bundle: Bundle,
  { table, names, types }: ClientParts,
): Promise<void> {
  const work = join(draft, 'client-work');
  const folder = join(draft, 'client');
  mkdirSync(work, { recursive: true });
  mkdirSync(folder, { recursive: true });
  // The operations are a text, so that they stay in the only chunk that reads it.
  const define = { SLUICE_OPERATIONS: JSON.stringify(JSON.stringify(table)), SLUICE_COMMANDS: JSON.stringify(names) };
  await Promise.all([
    bundle({
      entryPoints: { ...ENTRIES, ...PLATFORMS },
      outdir: folder,
      chunkNames: 'shared-[hash]',
      splitting: true,
      platform: 'neutral',
      target: 'es2022',
      external: ['next/server.js', 'node:*'],
      define,
    }),
    declare(root, work, folder, types),
  ]);
  describePackage(root, folder);
  rmSync(work, { recursive: true, force: true });
}

const DESCRIPTION = 'The client of Sluice for JavaScript: rate limit decisions, batched, and every operation.';

const KEYWORDS = ['rate-limit', 'rate-limiting', 'quota', 'express', 'fastify', 'koa', 'hono', 'nextjs', 'edge'];

/**
 * Writes the `package.json` of the client: named by the product, without dependencies. The addresses of the project and
 * its license are those of the product, if it states them: npm publishes with provenance only if `repository` is the
 * repository of the build.
 */
function describePackage(root: string, folder: string): void {
  const product = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8').replaceAll('./dist/client/', './'));
  const { name, version, homepage, bugs, repository, license, type, engines, exports } = product;
  const manifest = {
    ...{ name, version, description: DESCRIPTION, keywords: KEYWORDS, homepage, bugs, repository, license },
    // The index adds a method for each operation to the class in a shared chunk.
    ...{ type, engines, exports, sideEffects: ['./index*.js', './shared-*.js'] },
    publishConfig: { access: 'public', provenance: true },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const page of ['README.md', 'CHANGELOG.md']) copyFileSync(join(root, 'client', page), join(folder, page));
}

/** Writes the declarations. The API types of the contracts replace `client/api.ts`. */
async function declare(root: string, work: string, folder: string, types: ClientTypes): Promise<void> {
  const api = join(work, 'api.d.ts');
  writeFileSync(api, types.api);
  const config = join(work, 'tsconfig.json');
  const base = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions;
  const compilerOptions = {
    ...base,
    plugins: [],
    incremental: false,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    rootDir: root,
    outDir: join(work, 'declared'),
    paths: { '@/client/api': [api], '@/*': [join(root, '*')] },
  };
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions, files: Object.values(ENTRIES).map((path) => join(root, path)) }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', config]).catch((error) => {
    throw new Error(`The client's declarations: ${error.stdout || error.message}`);
  });
  for (const from of ['client', 'client/adapters']) {
    for (const name of readdirSync(join(work, 'declared', from)).filter((file) => file.endsWith('.d.ts'))) {
      const text = readFileSync(join(work, 'declared', from, name), 'utf8');
      writeFileSync(join(folder, name), text.replace(/'@\/client\/(?:adapters\/)?([\w-]+)'/g, "'./$1.js'"));
    }
  }
  writeFileSync(join(folder, 'api.d.ts'), types.api);
  writeFileSync(join(folder, 'operations.d.ts'), types.operations);
  const index = join(folder, 'index.d.ts');
  writeFileSync(
    index,
    `${readFileSync(index, 'utf8')}import './operations.js';\nexport type * from './api.js';\nexport type { Operations } from './operations.js';\n`,
  );
}
