import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { exactIdentifier, exportParameters, oneOrMore, searchIn, statusParameter } from '@/lib/contract/fields/list';

/** What the lists of allowlist entries and overrides are filtered by alike. @param removed what is said of removed ones */
export const exceptionFilters = (removed: string) => ({
  ...exportParameters,
  status: statusParameter(removed),
  type: oneOrMore(IdentifierTypeSchema.options),
  identifier: exactIdentifier,
  q: searchIn('Part of the identifier or the reason; ASCII letter case is ignored.'),
});
