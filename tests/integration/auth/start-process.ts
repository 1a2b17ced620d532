import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bootstrap } from '@/lib/admin/bootstrap';
import { authSecret } from '@/lib/auth/auth-secret';
import { openDatabase } from '@/lib/db/database';
import { servicesOn } from '@/tests/fixtures/auth-services';

/** A process that starts on a directory as the product does, all at the moment it is told, and says what it found. */
const [directory = ''] = process.argv.slice(2);

process.once('message', async () => {
  const database = openDatabase({
    url: `file:${join(directory, 'sluice.db')}`,
    monotonic: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds),
    random: Math.random,
  });
  const secret = authSecret({ AUTH_SECRET: undefined }, directory);
  const owner = await bootstrap(servicesOn(database, {}, () => Date.now()));
  process.send?.({ secret, owner }, () => process.disconnect());
});
process.send?.('ready');
