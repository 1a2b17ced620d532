import { defineCommand, isOn } from '@/cli/command';
import { runServer } from '@/cli/run-server';

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the server here',
  description:
    'Reads the .env files of the working directory, which also contains the database (data/sluice.db) unless DATABASE_URL names another. SIGTERM drains the server first; a second signal stops it at once. A service manager or a container runs `node server.mjs` itself.',
  options: [{ flag: 'migrate', description: 'Migrate the database to the newest schema and exit.' }],
  examples: ['sluice serve', 'PORT=8000 sluice serve', 'sluice serve --migrate'],
  run: (_context, input) => runServer(isOn(input, 'migrate') ? ['--migrate'] : []),
});
