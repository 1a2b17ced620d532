import { defineCommand, isOn } from '@/cli/command';
import { runServer } from '@/cli/run-server';

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the server here',
  description:
    'Reads the .env files of the working directory, which also holds the database (data/sluice.db) unless DATABASE_URL names another. Ends as the server does: SIGTERM drains it first, a second signal ends it at once. A service manager or a container runs `node server.mjs` itself.',
  options: [{ flag: 'migrate', description: 'Bring the database to the newest schema, and exit.' }],
  examples: ['sluice serve', 'PORT=8000 sluice serve', 'sluice serve --migrate'],
  run: (_context, input) => runServer(isOn(input, 'migrate') ? ['--migrate'] : []),
});
