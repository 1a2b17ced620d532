import { z } from 'zod';
import { codePoints } from '@/lib/contract/fields/reason';

/** Control characters, line and paragraph separators, bidirectional overrides, halves of surrogate pairs. */
const NOT_IN_A_NAME = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Longest name of a token or a person, in Unicode code points. */
const MAX_DISPLAY_NAME = 100;

/** A name in a request: one line of 1 to 100 code points after trimming. */
export const DisplayName = z
  .string()
  .trim()
  .refine(
    (text) => text !== '' && codePoints(text) <= MAX_DISPLAY_NAME,
    `must have 1 to ${MAX_DISPLAY_NAME} characters`,
  )
  .refine((text) => !NOT_IN_A_NAME.test(text), 'must be one line without control characters');
