import { setTimeout as wait } from 'node:timers/promises';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { openDatabase } from '@/lib/db/database';
import { open, resolve } from '@/tests/fixtures/alert-events';
import { servicesOn } from '@/tests/fixtures/services';

/** A process that opens and resolves alerts and sends what is due until it is killed, and says what it has written. */
const [path = '', name = ''] = process.argv.slice(2);
const database = openDatabase({
  url: `file:${path}`,
  monotonic: () => performance.now(),
  wait: (milliseconds) => wait(milliseconds),
  random: Math.random,
});
const services = await servicesOn(database, { SLUICE_ASSESS_ALLOW: '127.0.0.0/8' }, () => Date.now());
const sender = new DeliverySender(services);
const sending = async () => {
  for (;;) {
    await sender.sendDue();
    await wait(5);
  }
};
const happening = async () => {
  for (let i = 0; ; i += 1) {
    const subject = `${name} ${i % 3}`;
    await open(services, subject);
    process.send?.(`${subject} opened`);
    await resolve(services, subject);
    process.send?.(`${subject} resolved`);
    await wait(10);
  }
};
await Promise.all([sending(), happening()]);
