#!/usr/bin/env node
// Starts the command line from `dist`; in a clone that has none yet, makes it first.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const main = new URL('../dist/cli/main.js', import.meta.url);
const parts = [main, new URL('../dist/manifest.json', import.meta.url)];
const isMissing = () => parts.some((part) => !existsSync(part));

if (isMissing()) await build();
if (isMissing()) end(`the installation in ${root} is not complete, dist is missing: install Sluice again.`);
await import(main.href);

/** Needs the sources, and what is installed to develop them. */
async function build() {
  if (!existsSync(new URL('../cli', import.meta.url))) return;
  try {
    const { load } = await import('../server/load.mjs');
    const { buildPackages } = await load('packages');
    await buildPackages(root);
  } catch (error) {
    const { code, message } = error instanceof Error ? error : { message: String(error) };
    const why = code === 'ERR_MODULE_NOT_FOUND' ? 'what builds it is not installed' : message.split('\n')[0];
    end(`${root} is not built, and building it failed: ${why}. Run \`npm ci --include=dev && npm run build\` there.`);
  }
}

function end(why) {
  process.stderr.write(`sluice: ${why}\n`);
  process.exit(3);
}
