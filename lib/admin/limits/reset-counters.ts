import { change } from '@/lib/admin/change';
import { selectCounters } from '@/lib/admin/limits/counter-selection';
import { CounterReset } from '@/lib/contract/counters';
import { operation } from '@/lib/operation/operation';

/** Forgets what an identifier has used up, so that it has its full limits again. */
export const resetCounters = operation({
  id: 'resetCounters',
  method: 'POST',
  path: '/v1/admin/rate-limit/reset',
  tag: 'Counters',
  summary: 'Clear the rate limit counters of one identifier',
  description:
    'An IPv6 address is counted with its /64, so the counters of the whole /64 are cleared; a range clears those of every address in it. Quotas are not touched.',
  access: 'operator',
  body: { schema: CounterReset, required: true },
  response: { status: 204, description: 'The counters are clear, also when there was nothing to clear.' },
  errors: ['conflict', 'service_unavailable'],
  idempotent: true,
  run: (context, { body }) => {
    const { counters } = context.services;
    return change(context, async () => {
      const selection = await selectCounters(counters, body.type, body.identifier, body.class);
      const nothing = 'keys' in selection && selection.keys.length === 0;
      return {
        audit: {
          action: 'counters.reset',
          targetType: 'counters',
          target: body.identifier,
          after: { type: body.type, identifier: body.identifier, class: body.class ?? null },
        },
        statements: [],
        counters: nothing ? [] : [counters.clear(selection)],
        result: undefined,
      };
    });
  },
});
