import { change } from '@/lib/admin/change';
import { nameKeptReset } from '@/lib/admin/change-kind/reset';
import { requireRegisteredKey } from '@/lib/admin/keys/row';
import { readQuotaUsage } from '@/lib/admin/keys/usage';
import { findLimit, selectCounters } from '@/lib/admin/limits/counter-selection';
import { resetCounters as contract } from '@/lib/contract/counters';
import type { CounterSelection, CounterStore, KeptReset } from '@/lib/counters/store';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';
import type { ApiKeyId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

/** Most counters that a reset keeps for an undo. */
const MOST_KEPT = 10_000;

/**
 * Lists the counters that a reset would clear, including those of candidates, and whether it can be undone. Lists at
 * most `MOST_KEPT` + 1 counters if a prefix selects them.
 */
export async function findResetExtent(counters: CounterStore, selection: CounterSelection) {
  const keys = 'keys' in selection ? selection.keys : await counters.listKeys(selection.prefix, MOST_KEPT + 1);
  return { keys, kept: keys.length <= MOST_KEPT };
}

/** Clears the usage of a caller, which restores its full limits. Keeps the cleared counters for an undo. */
export const resetCounters = implement(contract, (context, { body }) => {
  const { counters } = context.services;
  const { type, identifier, class: name = null, quota = false, reason = null } = body;
  return change(context, async (revision) => {
    const limit = await findLimit(context.services.rules, body.limit_name);
    const selection = await selectCounters(counters, type, identifier, body.class, limit?.id);
    const { keys, kept } = await findResetExtent(counters, selection);
    // Redis has no index of prefixes, so the keys of the first scan are reused instead of a second scan.
    const chosen = counters.kind === 'redis' && kept ? { keys } : selection;
    const place = kept ? nameKeptReset(revision, context.now) : undefined;
    const ofKey = type === 'api_key' ? await planKeyReset(context, identifier as ApiKeyId, quota, place) : null;
    return {
      audit: {
        action: 'counters.reset',
        ...(ofKey === null ? {} : { targetType: 'api_key', before: ofKey.before }),
        target: identifier,
        after: {
          ...{ type, identifier, class: name, kept },
          ...(quota ? { quota } : {}),
          ...(limit === undefined ? {} : { limit_name: limit.name, limit_id: limit.id }),
        },
        reason,
      },
      counters: [counters.clear(chosen, place), ...(ofKey?.counters ?? [])],
    };
  });
});

/** Plans the reset of a key's quota, in addition to its client counter. @throws ApiError not_found */
async function planKeyReset({ services, now }: Context, id: ApiKeyId, quota: boolean, place: KeptReset | undefined) {
  const { database, counters, rules } = services;
  const key = await requireRegisteredKey(database, id);
  if (!quota) return { before: undefined, counters: [] };
  const { usage } = await readQuotaUsage(counters, await rules.readFresh(), key, now);
  return { before: { usage }, counters: [counters.resetUsage(findQuotaCounter(key), place)] };
}
