import { findLimit, selectCounters } from '@/lib/admin/limits/counter-selection';
import { findResetExtent } from '@/lib/admin/limits/reset-counters';
import { previewReset as contract } from '@/lib/contract/counters';
import { isCandidateKey } from '@/lib/enforcement/candidates';
import { implement } from '@/lib/operation/operation';

/** Counts the counters that a reset would clear now, and says whether it could be undone. */
export const previewReset = implement(contract, async ({ services }, { query }) => {
  const { counters, rules } = services;
  const limit = await findLimit(rules, query.limit_name);
  const selection = await selectCounters(counters, query.type, query.identifier, query.class, limit?.id);
  const { keys, kept } = await findResetExtent(counters, selection);
  return { counters: keys.filter((key) => !isCandidateKey(key)).length, undoable: kept };
});
