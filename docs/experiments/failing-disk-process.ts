import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { migrate } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { parseAddress } from '@/lib/limiter/address';
import { createSystemContext } from '@/lib/operation/context';
import { servicesOn } from '@/tests/fixtures/services';

/*
 * A process that decides and changes, one after the other, while strace makes its calls to the disk fail. It says what it
 * acknowledged, a line at once: `decided`, `changed <identifier>`; and what it did not: `failed <what>`.
 */
const [path = '', changes = '0'] = process.argv.slice(2);
const policies = JSON.stringify({ classes: { read: { ip: { limit: 1_000_000, window_seconds: 86_400 } } } });
const say = (line: string) => writeSync(1, `${line}\n`);

const database = openDatabase({
  url: `file:${path}`,
  monotonic: () => performance.now(),
  wait: (milliseconds) => wait(milliseconds),
  random: Math.random,
});
await migrate(database, 'drizzle', 0);
const services = await servicesOn(database, { SLUICE_POLICIES: policies }, () => Date.now());
say('ready');

for (let index = 0; index < Number(changes); index += 1) {
  for (let n = 0; n < 3; n += 1) {
    const facts = {
      method: 'GET',
      path: '/',
      class: 'read',
      address: parseAddress('203.0.113.1'),
      requestId: null,
    } as const;
    const { outcome, degraded } = await services.engine.decide(facts);
    say(outcome === 'allowed' && !degraded ? 'decided' : `failed a decision: ${outcome}`);
  }
  const identifier = `user ${index}`;
  const body = { type: 'user_id', identifier, reason: 'x', expires_at: null } as const;
  await addAllowlistEntry.run(createSystemContext(services), { params: {}, query: {}, body }).then(
    () => say(`changed ${identifier}`),
    (error: unknown) => say(`failed ${identifier}: ${String(error)}`),
  );
}
say('done');
process.exit(0);
