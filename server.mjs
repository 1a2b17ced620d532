// `npm start`: builds when needed, and runs what was built. `npm run dev` (--dev) runs the sources. `sluice serve` (--here)
// stays in its working directory.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => new URL(path, import.meta.url);
const has = (flag) => process.argv.includes(flag);

// The .env files and `data` are there.
if (!has('--here')) process.chdir(fileURLToPath(at('.')));
await import(await findEntry());

/** Runs the built server. In a clone, runs the sources, which build it if needed. */
async function findEntry() {
  const server = at('.next/standalone/server.mjs');
  const start = at('.next/start.mjs');
  if (!existsSync(at('app')) && existsSync(server)) return server.href;
  const isStep = has('--complete-build') || has('--packages');
  if (!has('--dev') && !isStep && existsSync(start)) return start.href;
  try {
    const { bundle } = await import('./server/load.mjs');
    return await bundle(has('--dev') ? 'serve' : 'start');
  } catch (error) {
    const why = error.code === 'ERR_MODULE_NOT_FOUND' ? 'what builds it is not installed' : error.message;
    console.error(
      `Sluice is not built, and ${why}: run \`npm ci --include=dev && npm run build\`. To run it afterwards, \`npm ci --omit=dev\` is enough.`,
    );
    process.exit(1);
  }
}
