import { change } from '@/lib/admin/change';
import { quotaUsage } from '@/lib/admin/keys/quota-usage';
import { API_KEY_TARGET, registeredKey } from '@/lib/admin/keys/row';
import { QuotaPath, QuotaReset, QuotaResetDoneSchema } from '@/lib/contract/quota';
import { quotaKey } from '@/lib/enforcement/plan';
import { operation } from '@/lib/operation/operation';

/** Sets the usage of a key to zero; what it has used stays in the history. */
export const resetQuota = operation({
  id: 'resetQuota',
  method: 'POST',
  path: '/v1/admin/rate-limit/quota/{api_key}/reset',
  tag: 'Quotas',
  summary: 'Reset the quota usage of one API key',
  description: 'The usage becomes zero; the history stays. The reason goes into the audit log.',
  access: 'operator',
  params: QuotaPath,
  body: { schema: QuotaReset, required: false },
  response: { status: 200, description: 'The usage is zero.', schema: QuotaResetDoneSchema },
  errors: ['not_found', 'conflict', 'service_unavailable'],
  idempotent: true,
  run: (context, { params, body }) => {
    const { database, counters, rules } = context.services;
    return change(context, async () => {
      const key = await registeredKey(database, params.api_key);
      const { policies } = await rules.fresh();
      const before = await quotaUsage(counters, policies, key);
      return {
        audit: {
          action: 'quota.reset',
          targetType: API_KEY_TARGET,
          target: key.id,
          before: { usage: before.usage },
          after: { usage: 0 },
          reason: body?.reason ?? null,
        },
        statements: [],
        counters: [counters.resetUsage(quotaKey(key.id))],
        result: { status: 'reset' as const },
      };
    });
  },
});
