// Runs `server.mjs` in a clone: builds if needed, and runs the build. It can also run single steps of a build.
// `server/load.mjs` bundles this into `.next/start.mjs`.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readServerArguments } from '@/server/arguments';
import { buildWhenNeeded, completeBuild, locateStandalone } from '@/server/build';
import { buildPackages } from '@/server/packages';
import { fail, loadEnvFiles, requireFreeAddress, requireNode } from '@/server/settings';

const root = fileURLToPath(new URL('..', import.meta.url));
requireNode();
const { migrate, reset, step } = readServerArguments();
if (step === 'complete-build') await completeBuild(root);
else if (step === 'packages') await buildPackages(root);
else {
  const isServing = !migrate && reset === null;
  const check = async () => {
    await loadEnvFiles(false);
    await requireFreeAddress({ isServing });
  };
  await buildWhenNeeded(root, check).catch((error: Error) => fail(error.message));
  await import(pathToFileURL(join(locateStandalone(root), 'server.mjs')).href);
}
