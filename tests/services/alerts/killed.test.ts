import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { alertEvents, alerts, deliveries } from '@/drizzle/alerts-schema';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { resolveThresholds } from '@/lib/admin/alerts/quota-thresholds';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { webhookTo } from '@/tests/fixtures/alert-events';
import { call } from '@/tests/fixtures/call';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';
import { servicesOn } from '@/tests/fixtures/services';
import { late, reset, silence, status, WebhookReceiver } from '@/tests/fixtures/webhook-receiver';

/** Two processes are killed in each round. */
const ROUNDS = Math.ceil(Number(process.env.SLUICE_TEST_KILLS ?? 6) / 2);
const MINUTE = 60_000;

it('quotas that two killed instances have used up are told of, each threshold once, signed and in order', async () => {
  using file = await migratedDatabase();
  await using receiver = await WebhookReceiver.start();
  let ahead = 0;
  const services = await servicesOn(file.database, { SLUICE_ASSESS_ALLOW: '127.0.0.0/8' }, () => Date.now() + ahead);
  const { secret } = await webhookTo(services, receiver.url);
  await call(services, patchPolicies, { body: { tiers: { free: 5 } } });
  const script = await bundle('tests/services/alerts/alerting-process.ts');
  const said: string[] = [];
  const run = async (name: string, until: number) => {
    const child = fork(script, [file.path, name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let count = 0;
    child.on('message', (message) => {
      said.push(String(message));
      count += 1;
      // At once, or while what follows is under way.
      if (count === until) setTimeout(() => child.kill('SIGKILL'), (until * 7) % 40);
    });
    await once(child, 'exit');
    expect(count).toBeGreaterThanOrEqual(until);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Some of what is under way when a process is killed has no answer, a bad one, or a broken connection.
    receiver.answers.push(status(500), reset, silence, late(200));
    // In every third round nobody listens; in the next the receiver is back.
    if (round % 3 === 1) await receiver.go();
    await Promise.all([run(`a${round}`, 1 + ((round * 5) % 11)), run(`b${round}`, 1 + ((round * 3) % 7))]);
    if (round % 3 === 1) await receiver.come();
  }
  receiver.answers.length = 0;

  // What one that is still there finds: a process looks at all keys when it starts.
  const { drizzle } = services.database;
  services.statistics.usage.keepKeys([...(await services.rules.readFresh()).keysById.keys()]);
  while ((await markQuotaThresholds(services)) > 0);
  await resolveThresholds(services);
  const sender = new DeliverySender(services);
  const pending = async () => (await drizzle.select().from(deliveries)).filter(({ state }) => state === 'pending');
  for (let minute = 0; minute < 60 && (await pending()).length > 0; minute += 1) {
    ahead += MINUTE;
    while ((await sender.sendDue()) > 0) await sender.waitUntilSettled();
  }
  expect(await pending()).toEqual([]);

  // What was decided is told of, and what was resolved by a grant, each threshold once.
  const rowsOfAlerts = await drizzle.select().from(alerts);
  const toldOf = (id: string) => rowsOfAlerts.filter(({ subject }) => subject === `api_key:${id}`);
  for (const message of said) {
    const [what, id = ''] = message.split(' ');
    const percents = toldOf(id).map(({ data, resolvedAt }) => [
      JSON.parse(data).threshold_percent,
      resolvedAt !== null,
    ]);
    if (what === 'used') expect(percents.map(([percent]) => percent).sort()).toEqual([100, 80]);
    else expect(percents.filter(([, isResolved]) => !isResolved)).toEqual([]);
  }
  for (const { event } of rowsOfAlerts) expect(event).toBe('quota.threshold');

  // Each event that was written has one delivery.
  const events = await drizzle.select().from(alertEvents);
  const rows = await drizzle.select().from(deliveries).orderBy(deliveries.seq);
  expect(new Set(rows.map(({ event }) => event))).toEqual(new Set(events.map(({ id }) => id)));
  expect(rows).toHaveLength(events.length);

  const arrivals = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  expect(new Set(arrivals)).toEqual(new Set(events.map(({ id }) => id)));
  const first = new Map(arrivals.map((id, index) => [id, index] as const).reverse());
  for (const subject of new Set(rows.map((row) => row.subject))) {
    const order = rows.filter((row) => row.subject === subject).map(({ event }) => first.get(event) ?? -1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }
  const verifier = new Webhook(secret);
  for (const { headers, body } of receiver.received) {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(verifier.sign(String(headers['webhook-id']), at, body)).toBe(headers['webhook-signature']);
  }
});
