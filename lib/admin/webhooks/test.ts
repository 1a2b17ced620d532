import { eq } from 'drizzle-orm';
import { alertEvents, deliveries } from '@/drizzle/alerts-schema';
import { change } from '@/lib/admin/change';
import { createOrderedId } from '@/lib/admin/new-row';
import { attempt } from '@/lib/admin/webhooks/attempt';
import { buildDelivery } from '@/lib/admin/webhooks/deliveries';
import { disableGoneWebhook } from '@/lib/admin/webhooks/disable-gone';
import { settle } from '@/lib/admin/webhooks/queue';
import { requirePresentWebhook } from '@/lib/admin/webhooks/row';
import { testWebhook as contract } from '@/lib/contract/webhooks';
import { implement } from '@/lib/operation/operation';

/** Longer than the single attempt, so that no other process sends it. */
const LEASE_MS = 60_000;

/** Sends a test event while the caller waits. */
export const testWebhook = implement(contract, async (context, { params }) => {
  const { services, now } = context;
  const { database, randomBytes, clock } = services;
  const { drizzle } = database;
  const sent = await change(context, async (revision) => {
    const webhook = await requirePresentWebhook(database, params.id);
    const data = { summary: `This is a test of the webhook ${webhook.name}.`, link: '/settings?tab=alerts' };
    const event = { id: createOrderedId(now, revision, randomBytes), alert: null, type: 'webhook.test', at: now };
    const lease = event.id;
    const state = { state: 'pending', attempts: 0, nextAt: now, lease, leaseUntil: now + LEASE_MS, log: '[]' } as const;
    const row = { channel: webhook.id, event: event.id, subject: lease, createdAt: now, ...state };
    const stored = { ...event, data: JSON.stringify(data) };
    return {
      audit: { action: 'webhook.test', target: webhook.id, after: { name: webhook.name } },
      statements: [drizzle.insert(alertEvents).values(stored), drizzle.insert(deliveries).values(row)],
      result: { webhook, event: { ...event, data }, stored },
    };
  });
  const { webhook, event, stored } = sent;
  const [row] = await drizzle.select().from(deliveries).where(eq(deliveries.event, event.id));
  if (row === undefined) throw new Error('A test has no delivery.');
  const start = performance.now();
  const outcome = await attempt(webhook, event, { ...services, now: clock() });
  const duration = performance.now() - start;
  const claimed = { row, lease: event.id, event };
  await settle(database, claimed, outcome, { now: clock(), random: 0, duration, once: true });
  await disableGoneWebhook(services, webhook, outcome.status);
  const [settled = row] = await drizzle.select().from(deliveries).where(eq(deliveries.seq, row.seq));
  return buildDelivery({ delivery: settled, event: stored, webhook }, services.config);
});
