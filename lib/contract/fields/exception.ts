import { z } from 'zod';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { exactIdentifier, exportParameters, oneOrMore, searchIn, statusParameter } from '@/lib/contract/fields/list';

/**
 * Filters that the lists of allowlist entries and overrides share. @param removed describes the status of removed
 * entries
 */
export const exceptionFilters = (removed: string) => ({
  ...exportParameters,
  status: statusParameter(removed),
  type: oneOrMore(IdentifierTypeSchema.options),
  identifier: exactIdentifier,
  q: searchIn('Part of the identifier or the reason; ASCII letter case is ignored.'),
});

/** Number of narrower ranges of the same kind inside the range of an exemption. */
export const coversField = z
  .int()
  .min(1)
  .optional()
  .describe('Only in pages of up to 200: how many active exceptions of its kind are for narrower ranges in its range.');
