#!/usr/bin/env node
// Starts the command line from `dist`; in a clone that has none yet, makes it first.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = new URL('../dist/cli/main.js', import.meta.url);

if (!existsSync(main)) {
  const { buildPackages } = await import('../server/packages.mjs');
  await buildPackages(root.replace(/[/\\]$/, ''));
}
await import(main.href);
