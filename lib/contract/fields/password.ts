import { z } from 'zod';

const SHORTEST_PASSWORD = 8;
/** Length of the longest password, in UTF-16 units. */
export const LONGEST_PASSWORD = 1_024;

export const PasswordInput = z
  .string()
  .min(SHORTEST_PASSWORD, `must have at least ${SHORTEST_PASSWORD} characters`)
  .max(LONGEST_PASSWORD, `must have at most ${LONGEST_PASSWORD} characters`)
  .refine((text) => !/\p{Cs}/u.test(text), 'must be valid Unicode');
