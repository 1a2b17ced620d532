import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bootstrap } from '@/lib/admin/members/bootstrap';
import { loadAuthSecret } from '@/lib/auth/auth-secret';
import { openDatabase } from '@/lib/db/open-database';
import { servicesOn } from '@/tests/fixtures/auth-services';

/** A process that starts on each directory that it is told, as the product does, and says what it found. */
process.on('message', async (directory: string) => {
  const database = openDatabase({
    url: `file:${join(directory, 'sluice.db')}`,
    monotonic: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds),
    random: Math.random,
  });
  const secret = loadAuthSecret({ AUTH_SECRET: undefined }, directory);
  const owner = await bootstrap(await servicesOn(database, {}, () => Date.now()));
  database.close();
  process.send?.({ secret, owner });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
