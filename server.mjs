// @ts-check
// `npm start`: builds when needed, and runs what was built. `npm run dev` (--dev) runs the sources. `sluice serve` (--here)
// stays in its working directory.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWhenNeeded, serverOf } from './server/build.mjs';
import { fail, loadEnvFiles, requireFreeAddress, requireNode } from './server/settings.mjs';

const root = dirname(fileURLToPath(import.meta.url));
// Where the .env files and `data` are.
if (!process.argv.includes('--here')) process.chdir(root);
requireNode();
if (process.argv.includes('--dev')) await import('./server/serve.mjs');
else {
  const isServing = !process.argv.includes('--migrate') && !process.argv.includes('--reset-owner');
  const check = async () => {
    await loadEnvFiles(false);
    await requireFreeAddress({ isServing });
  };
  await buildWhenNeeded(root, check).catch((error) => fail(error.message));
  await import(serverOf(root).href);
}
