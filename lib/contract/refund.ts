import { z } from 'zod';
import { json, object, ok, resource } from '@/lib/contract/resource';

/** Time in which a decision can be refunded, in seconds. */
export const REFUND_WITHIN = 60;

/** Upper bound on the length of an id. */
const LONGEST_ID = 16_384;

/** The `id` of a decision. */
export const DecisionId = z
  .string()
  .min(1, 'must not be empty')
  .max(LONGEST_ID, `must have at most ${LONGEST_ID} characters`);

export const RefundSchema = z
  .strictObject({ id: DecisionId.describe('The `id` in the answer to a check with `refundable`.') })
  .meta({ id: 'Refund' });

export const refund = resource('/v1/refund', {
  tag: 'Decisions',
  servedBy: 'decision-api',
  errors: ['not_found', 'conflict', 'service_unavailable'],
}).post('refund', 'decide', {
  command: 'refund',
  summary: 'Give back what a request has consumed',
  description:
    `Within ${REFUND_WITHIN} seconds of its decision, once: 404 afterwards, 409 for the second time. ` +
    'Limits and quota get back what the request consumed; what was reset since has been given back already.',
  body: json(RefundSchema),
  example: { body: { id: 'h0wA3kz8Q1vXn5tY' } },
  response: ok('The refund is applied.', object('Refunded', { refunded: z.literal(true) })),
});
