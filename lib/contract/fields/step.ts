import { wholeNumber } from '@/lib/contract/fields/whole-number';

export const MAX_POINTS = 2_000;

/** Length of the steps of a chart, in seconds. */
export const stepParameter = wholeNumber(60, 31 * 86_400)
  .refine((step) => step % 60 === 0, 'must be a multiple of 60')
  .optional()
  .describe(
    `Seconds from one point to the next, a multiple of 60. Default: the shortest of the usual steps with at most 120 points. At most ${MAX_POINTS} points.`,
  )
  .meta({ example: 60 });
