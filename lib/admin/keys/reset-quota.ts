import { change } from '@/lib/admin/change';
import { nameKeptReset } from '@/lib/admin/change-kind/reset';
import { requireRegisteredKey } from '@/lib/admin/keys/row';
import { readQuotaUsage } from '@/lib/admin/keys/usage';
import { resetQuota as contract } from '@/lib/contract/quota';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';
import { implement } from '@/lib/operation/operation';

/** Resets the usage of a key to zero. The history keeps its requests. */
export const resetQuota = implement(contract, (context, { params, body }) => {
  const { database, counters, rules } = context.services;
  return change(context, async (revision) => {
    const key = await requireRegisteredKey(database, params.api_key);
    const before = await readQuotaUsage(counters, await rules.readFresh(), key, context.now);
    return {
      audit: {
        action: 'quota.reset',
        targetType: 'api_key',
        target: key.id,
        before: { usage: before.usage },
        after: { usage: 0 },
        reason: body?.reason || null,
      },
      counters: [counters.resetUsage(findQuotaCounter(key), nameKeptReset(revision, context.now))],
      result: { status: 'reset' as const },
    };
  });
});
