import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { defineCommand, isOn } from '@/cli/command';
import { EXIT } from '@/cli/failure';

/** Beside `dist`, in which this file is bundled: in a clone, in an installed package and in a container. */
const SERVER = new URL('../../server.mjs', import.meta.url);
/** As `npm start` has it: V8 collects short-lived objects less often. */
const FLAGS = ['--max-semi-space-size=32'];

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the server here',
  description:
    'Reads the .env files of the working directory, which also holds the database (data/sluice.db) unless DATABASE_URL names another. Ends as the server does: SIGTERM drains it first, a second signal ends it at once. A service manager or a container runs `node server.mjs` itself.',
  options: [{ flag: 'migrate', description: 'Bring the database to the newest schema, and exit.' }],
  examples: ['sluice serve', 'PORT=8000 sluice serve', 'sluice serve --migrate'],
  async run(_context, input) {
    const { spawn } = await import('node:child_process');
    const words = ['--here', ...(isOn(input, 'migrate') ? ['--migrate'] : [])];
    const server = spawn(process.execPath, [...FLAGS, fileURLToPath(SERVER), ...words], { stdio: 'inherit' });
    // Other commands end at once.
    process.removeAllListeners('SIGINT');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal));
    const [code] = await once(server, 'exit');
    return code === 0 ? EXIT.done : EXIT.refused;
  },
});
