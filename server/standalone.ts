// Completes `.next/standalone`, which Next fills with its output and the libraries that this imports. Adds the server,
// the static files and the command line, and removes files that a product does not need.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { compressStatic } from '@/server/compress-static';
import { bundle, REQUIRE } from '@/server/packages';
import { excludeFiles } from '@/server/traces';

/**
 * Files that are left out. `server.js` is Next's own server. The .env files belong to the machine that builds. Pictures
 * are never resized. Next has another OpenTelemetry API, and `lib/tracing` is bundled. Traces are for platforms.
 */
const LEFT_OUT = /^(?:server\.js|\.env.*|node_modules\/(?:sharp|@img|@opentelemetry)|\.next\/server\/.*\.nft\.json)$/;

/**
 * Completes the folder.
 * @param folder `.next/standalone`
 */
export async function completeStandalone(root: string, folder: string): Promise<void> {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (LEFT_OUT.test(path)) rmSync(join(folder, path), { recursive: true, force: true });
  replaceLinks(join(folder, '.next', 'node_modules'));
  for (const path of ['bin', 'dist/cli', 'dist/manifest.json', 'docs/gateways', 'drizzle', '.env.example'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  excludeFiles(root, folder);
  const statics = join(folder, '.next', 'static');
  cpSync(join(root, '.next', 'static'), statics, { recursive: true });
  await Promise.all([compressStatic(statics), bundleServer(root, folder)]);
  const { name, version, description, license, bin, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const scripts = { start: 'node --max-semi-space-size=32 server.mjs' };
  const manifest = { name, version, private: true, description, license, type: 'module', bin, engines, scripts };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Replaces links by packages. Next imports unbundled packages under hashed names, which are links. npm archives cannot
 * contain links, so each becomes a package that re-exports the linked one.
 */
function replaceLinks(folder: string): void {
  if (!existsSync(folder)) return;
  const links = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  for (const { parentPath, name } of links) {
    const link = join(parentPath, name);
    const target = relative(join(dirname(dirname(folder)), 'node_modules'), realpathSync(link));
    rmSync(link);
    mkdirSync(link);
    writeFileSync(join(link, 'package.json'), `${JSON.stringify({ name: name, main: 'index.cjs' })}\n`);
    writeFileSync(join(link, 'index.cjs'), `module.exports = require('${target.replaceAll('\\', '/')}');\n`);
  }
}

/** Bundles the server into one file with its libraries, except those that Next provides. */
async function bundleServer(root: string, folder: string): Promise<void> {
  await bundle(root, {
    entryPoints: ['server/serve.ts'],
    outfile: join(folder, 'server.mjs'),
    external: ['next', '@next/env'],
    platform: 'node',
    target: 'node20.12',
    minify: false,
    banner: { js: REQUIRE },
  });
}
