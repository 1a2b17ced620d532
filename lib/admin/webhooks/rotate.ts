import { eq } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { change } from '@/lib/admin/change';
import { requirePresentWebhook } from '@/lib/admin/webhooks/row';
import { createWebhookSecret } from '@/lib/admin/webhooks/signature';
import { sealForWebhook, tryUnseal } from '@/lib/auth/webhook-secrets';
import { rotateWebhook as contract } from '@/lib/contract/webhooks';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

const GRACE_SECONDS = 86_400;

/** Gives a webhook a new secret. The previous one also signs until the grace period ends. */
export const rotateWebhook = implement(contract, (context, { params, body }) => {
  const { services } = context;
  const { database, randomBytes } = services;
  const grace = body?.grace_seconds ?? GRACE_SECONDS;
  return change(context, async (revision) => {
    const row = await requirePresentWebhook(database, params.id);
    const { id } = row;
    if (row.secret === null) throw new ApiError('conflict', 'Messages of its format are not signed.');
    const secret = createWebhookSecret(randomBytes);
    // A secret encrypted with another AUTH_SECRET cannot sign.
    const signs = grace > 0 && tryUnseal(row.secret, { id, column: 'secret' }, services.authSecret) !== null;
    const rotated = {
      secret: sealForWebhook(secret, { id, column: 'secret' }, services),
      previousSecret: signs ? row.secret : null,
      previousSecretUntil: signs ? context.now + grace * 1_000 : null,
      revision,
    };
    return {
      audit: { action: 'webhook.rotate', target: id, after: { name: row.name, grace_seconds: grace } },
      statements: [database.drizzle.update(webhooks).set(rotated).where(eq(webhooks.id, id))],
      result: { id, secret },
    };
  });
});
