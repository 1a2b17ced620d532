import { change } from '@/lib/admin/change';
import { selectCounters } from '@/lib/admin/limits/counter-selection';
import { keptReset } from '@/lib/admin/undo/resets';
import { resetCounters as contract } from '@/lib/contract/counters';
import type { CounterSelection, CounterStore } from '@/lib/counters/store';
import { implement } from '@/lib/operation/operation';

/** Most counters that a reset keeps for its undo. */
const MOST_KEPT = 10_000;

/** How many counters a reset would clear, `MOST_KEPT` + 1 at most, and whether it can be undone. */
export async function extentOf(counters: CounterStore, selection: CounterSelection) {
  const keys = 'keys' in selection ? selection.keys : await counters.listKeys(selection.prefix, MOST_KEPT + 1);
  return { keys, kept: keys.length <= MOST_KEPT };
}

/** Forgets what an identifier has used up, so that it has its full limits again. It is kept for a while, for an undo. */
export const resetCounters = implement(contract, (context, { body }) => {
  const { counters } = context.services;
  return change(context, async (revision) => {
    const selection = await selectCounters(counters, body.type, body.identifier, body.class);
    const { keys, kept } = await extentOf(counters, selection);
    // Redis has no index of prefixes: what was found by one scan is not looked for by another.
    const chosen = counters.kind === 'redis' && kept ? { keys } : selection;
    return {
      audit: {
        action: 'counters.reset',
        target: body.identifier,
        after: { type: body.type, identifier: body.identifier, class: body.class ?? null, kept },
        reason: body.reason ?? null,
      },
      counters: [counters.clear(chosen, kept ? keptReset(revision, context.now) : undefined)],
      result: undefined,
    };
  });
});
