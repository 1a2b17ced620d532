import { eq } from 'drizzle-orm';
import { deliveries } from '@/drizzle/alerts-schema';
import { change } from '@/lib/admin/change';
import { buildDelivery, requireDelivery } from '@/lib/admin/webhooks/deliveries';
import { requirePresentWebhook } from '@/lib/admin/webhooks/row';
import { replayDelivery as contract } from '@/lib/contract/webhooks';
import { implement } from '@/lib/operation/operation';

/** Queues a delivery again, in any state. */
export const replayDelivery = implement(contract, (context, { params }) => {
  const { database } = context.services;
  return change(context, async () => {
    const webhook = await requirePresentWebhook(database, params.id);
    const found = await requireDelivery(database, webhook.id, params.delivery);
    const waiting = { state: 'pending', attempts: 0, nextAt: context.now } as const;
    const { seq } = found.delivery;
    const after = { name: webhook.name, delivery: seq, type: found.event.type };
    return {
      audit: { action: 'webhook.replay', target: webhook.id, after },
      statements: [database.drizzle.update(deliveries).set(waiting).where(eq(deliveries.seq, seq))],
      result: buildDelivery({ ...found, delivery: { ...found.delivery, ...waiting } }, context.services.config),
    };
  });
});
