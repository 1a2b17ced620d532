import { z } from 'zod';

/** Characters that a password has at least if a second factor is needed too (NIST SP 800-63B-4 section 3.1.1.2). */
const SHORTEST_PASSWORD = 12;
/** Characters that a password has at least if it is the only factor. */
export const SHORTEST_ONLY_FACTOR = 15;
/** Length of the longest password, in UTF-16 units. */
export const LONGEST_PASSWORD = 1_024;

/** Counts the characters of a password: code points of its normalised form, in which it is hashed. */
export function countCharacters(password: string): number {
  return [...password.normalize('NFKC')].length;
}

/** Describes what a new password must be, for a hint at its field. */
export const PASSWORD_HINT = `At least ${SHORTEST_ONLY_FACTOR} characters, or ${SHORTEST_PASSWORD} with a second factor. Spaces are allowed.`;

/**
 * New password. Restricts its length, not its characters. The server also requires `SHORTEST_ONLY_FACTOR` and refuses
 * common passwords.
 */
export const PasswordInput = z
  .string()
  .min(SHORTEST_PASSWORD, `must have at least ${SHORTEST_PASSWORD} characters`)
  .max(LONGEST_PASSWORD, `must have at most ${LONGEST_PASSWORD} characters`)
  // The check before counts UTF-16 units, so it accepts six emoji.
  .refine(
    (text) => text.length < SHORTEST_PASSWORD || countCharacters(text) >= SHORTEST_PASSWORD,
    `must have at least ${SHORTEST_PASSWORD} characters`,
  )
  .refine((text) => !/\p{Cs}/u.test(text), 'must be valid Unicode');
