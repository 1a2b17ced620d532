// Runs `server.mjs` in a clone: builds if needed, and runs the build. --complete-build and --packages run single steps
// of a build. `server/load.mjs` bundles this into `.next/start.mjs`.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildWhenNeeded, completeBuild, standaloneOf } from '@/server/build';
import { buildPackages } from '@/server/packages';
import { fail, loadEnvFiles, requireFreeAddress, requireNode } from '@/server/settings';

const root = fileURLToPath(new URL('..', import.meta.url));
requireNode();
if (process.argv.includes('--complete-build')) await completeBuild(root);
else if (process.argv.includes('--packages')) await buildPackages(root);
else {
  const isServing = !process.argv.includes('--migrate') && !process.argv.includes('--reset-owner');
  const check = async () => {
    await loadEnvFiles(false);
    await requireFreeAddress({ isServing });
  };
  await buildWhenNeeded(root, check).catch((error: Error) => fail(error.message));
  await import(pathToFileURL(join(standaloneOf(root), 'server.mjs')).href);
}
