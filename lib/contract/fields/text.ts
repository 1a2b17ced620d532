import { z } from 'zod';
import { withoutTokens } from '@/lib/logging/without-tokens';

/** Longest reason, in Unicode code points. */
const MAX_REASON = 500;

/** Control characters other than tab, carriage return and line feed, and halves of surrogate pairs. */
const FORBIDDEN = /\p{Cs}|[^\P{Cc}\t\r\n]/u;

/** Whether a text holds nothing but characters that may stand in free text. */
function isPlainText(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/** How long a text is in Unicode code points (an emoji outside of the basic plane is one). */
export function codePoints(text: string): number {
  return [...text].length;
}

const plain = 'must not hold control characters';

/** Why an entry exists: 1 to 500 code points after trimming. Tokens pasted into it are not kept. */
export const ReasonSchema = z
  .string()
  .trim()
  .overwrite(withoutTokens)
  .refine((text) => text !== '' && codePoints(text) <= MAX_REASON, `must have 1 to ${MAX_REASON} characters`)
  .refine(isPlainText, plain)
  .describe(`1 to ${MAX_REASON} characters (Unicode code points) after trimming.`)
  .meta({ example: 'Load test of the payments team' });

/** Why a change was made, for the audit log: at most 500 code points, kept as it was sent but for tokens in it. */
export const AuditReasonSchema = z
  .string()
  .refine((text) => codePoints(text) <= MAX_REASON, `must have at most ${MAX_REASON} characters`)
  .refine(isPlainText, plain)
  .describe(`At most ${MAX_REASON} characters (Unicode code points); kept in the audit log.`)
  .meta({ maxLength: MAX_REASON, example: 'Billing correction' });
