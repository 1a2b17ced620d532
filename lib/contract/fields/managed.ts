import { z } from 'zod';

/** Marks an entry that a state document manages. */
export const managedMark = {
  managed: z
    .literal(true)
    .optional()
    .describe('There where a state document has named it: the next apply overwrites what is changed by hand.'),
};

/** Header that marks settings which a state document has named. */
export const MANAGED_HEADER = 'Sluice-Managed';
export const MANAGED_HEADERS = {
  [MANAGED_HEADER]: '`true` where a state document has set it: the next apply overwrites what is changed by hand.',
};
