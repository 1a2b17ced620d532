import { selectCounters } from '@/lib/admin/limits/counter-selection';
import { extentOf } from '@/lib/admin/limits/reset-counters';
import { previewReset as contract } from '@/lib/contract/counters';
import { isOfCandidate } from '@/lib/limiter/counter-key';
import { implement } from '@/lib/operation/operation';

/** What a reset would clear now, and whether it could be undone. */
export const previewReset = implement(contract, async ({ services }, { query }) => {
  const { counters } = services;
  const selection = await selectCounters(counters, query.type, query.identifier, query.class);
  const { keys, kept } = await extentOf(counters, selection);
  return { counters: keys.filter((key) => !isOfCandidate(key)).length, undoable: kept };
});
