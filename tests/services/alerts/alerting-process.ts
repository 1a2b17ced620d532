import { setTimeout as wait } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { alerts } from '@/drizzle/alerts-schema';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { listAlertWatches } from '@/lib/admin/alerts/watch';
import { addGrant } from '@/lib/admin/grants/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { StoreUnavailable } from '@/lib/counters/store';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { openDatabase } from '@/lib/db/open-database';
import type { Operation } from '@/lib/operation/operation';
import { call } from '@/tests/fixtures/call';
import { servicesOn } from '@/tests/fixtures/services';

/**
 * A process that decides requests until they have used up the quotas of keys, gives some of these keys more, watches for
 * alerts and sends what is due, as a server does, until it is killed. Says what it has decided and granted.
 */
const [path = '', name = ''] = process.argv.slice(2);
const database = openDatabase({
  url: `file:${path}`,
  monotonic: () => performance.now(),
  wait: (milliseconds) => wait(milliseconds),
  random: Math.random,
});
const services = await servicesOn(database, { SLUICE_ASSESS_ALLOW: '127.0.0.0/8' }, () => Date.now());
const sender = new DeliverySender(services);

/**
 * Does something again and again, sooner than a server: each run is one more that may be cut off. As there, one that fails,
 * because the other process holds the file for too long, is left to the next.
 */
const again = async (milliseconds: number, act: () => Promise<unknown>) => {
  for (;;) {
    await act().catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable || error instanceof StoreUnavailable)) throw error;
    });
    await wait(milliseconds);
  }
};
/** Calls an operation, once more where two busy processes kept it from being done. */
const done = async (operation: Operation, body: object) => {
  for (;;) {
    const { status, json } = await call(services, operation, { body });
    if (status === 201) return json;
    if (status !== 409 && status !== 503) throw new Error(`${status} ${JSON.stringify(json)}`);
  }
};
const opened = (id: string) => database.drizzle.$count(alerts, eq(alerts.subject, `api_key:${id}`));

const happening = async () => {
  for (let i = 0; ; i += 1) {
    const body = { name: `${name} ${i}`, tier: 'free', client_type: 'confidential' };
    const { id } = await done(createApiKey, body);
    const facts = { method: 'GET', path: '/api/orders', address: undefined, requestId: null, apiKeyId: id };
    for (let sent = 0; sent < 5; sent += 1) await services.engine.decide(facts);
    process.send?.(`used ${id}`);
    if (i % 2 === 0) continue;
    while ((await opened(id)) < 2) await wait(2);
    const until = new Date(Date.now() + 86_400_000 * 3).toISOString();
    await done(addGrant, { api_key: id, requests: 100, until, reason: 'A campaign' });
    process.send?.(`granted ${id}`);
  }
};
await Promise.all([
  happening(),
  again(5, () => sender.sendDue()),
  again(5, () => services.statistics.flush()),
  again(5, () => markQuotaThresholds(services)),
  ...listAlertWatches(services).map(({ check }) => again(20, check)),
]);
