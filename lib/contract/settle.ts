import { z } from 'zod';
import { LimitName, LONGEST_HOLD, SETTLE_WITHIN, UsedUnits } from '@/lib/contract/fields/named-limit';
import { DecisionId } from '@/lib/contract/refund';
import { json, object, ok, resource } from '@/lib/contract/resource';

export const SettleSchema = z
  .strictObject({
    id: DecisionId.describe('The `id` in the answer to a check with `settle`, or of a limit with `in_flight`.'),
    costs: z
      .record(LimitName, UsedUnits)
      .default({})
      .describe('What was really used of each limit, by its name. What was reserved of the others stands.'),
  })
  .meta({ id: 'Settlement' });

export const settle = resource('/v1/settle', {
  tag: 'Decisions',
  servedBy: 'decision-api',
  errors: ['not_found', 'conflict', 'service_unavailable'],
}).post('settle', 'decide', {
  command: 'settle',
  summary: 'Replace what a check reserved by what was really used',
  description:
    `Within the \`settle_within\` of the check (${SETTLE_WITHIN} seconds unless it names one, at most ${LONGEST_HOLD}), once: 404 afterwards, 409 for the second time. ` +
    'Less than was reserved is given back; more is counted now, also beyond the limit, so that the next check is refused. The places of the check are free again. Without a settlement the reservation stands, and places are free when their lease ends.',
  body: json(SettleSchema),
  example: { body: { id: 'h0wA3kz8Q1vXn5tY', costs: { tokens: 731 } } },
  response: ok('It is settled.', object('Settled', { settled: z.literal(true) })),
});
