import { change } from '@/lib/admin/change';
import { selectCounters } from '@/lib/admin/limits/counter-selection';
import { resetCounters as contract } from '@/lib/contract/counters';
import { implement } from '@/lib/operation/operation';

/** Forgets what an identifier has used up, so that it has its full limits again. */
export const resetCounters = implement(contract, (context, { body }) => {
  const { counters } = context.services;
  return change(context, async () => {
    const selection = await selectCounters(counters, body.type, body.identifier, body.class);
    const nothing = 'keys' in selection && selection.keys.length === 0;
    return {
      audit: {
        action: 'counters.reset',
        target: body.identifier,
        after: { type: body.type, identifier: body.identifier, class: body.class ?? null },
        reason: body.reason ?? null,
      },
      counters: nothing ? [] : [counters.clear(selection)],
      result: undefined,
    };
  });
});
