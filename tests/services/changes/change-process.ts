import { setTimeout as wait } from 'node:timers/promises';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { openDatabase } from '@/lib/db/open-database';
import { createSystemContext } from '@/lib/operation/context';
import { servicesOn } from '@/tests/fixtures/services';

/** A process whose eight writers add entries until it is killed, and which says of each that it was answered. */
const [path = '', name = ''] = process.argv.slice(2);
const database = openDatabase({
  url: `file:${path}`,
  monotonic: () => performance.now(),
  wait: (milliseconds) => wait(milliseconds),
  random: Math.random,
});
const services = await servicesOn(database, {}, () => Date.now());
const writer = async (number: number) => {
  for (let i = 0; ; i += 1) {
    const identifier = `${name}-${number}-${i}`;
    const context = createSystemContext(services);
    const body = { type: 'user_id' as const, identifier, reason: 'test', expires_at: null };
    await addAllowlistEntry.run(context, { params: {}, query: {}, body });
    process.send?.({ seq: context.changed.seq, identifier });
  }
};
await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
