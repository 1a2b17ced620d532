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
