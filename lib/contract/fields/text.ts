import { z } from 'zod';
import { redactTokens } from '@/lib/logging/redact-tokens';

/** Length of the longest reason, in Unicode code points. */
const MAX_REASON = 500;
/** Length of the longest name, in Unicode code points. */
const MAX_NAME = 100;

/** Control characters except tab, carriage return and line feed, and unpaired surrogates. */
const NOT_IN_A_TEXT = /\p{Cs}|[^\P{Cc}\t\r\n]/u;
/** Control characters, line and paragraph separators, bidirectional overrides, and unpaired surrogates. */
const NOT_IN_A_NAME = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const plain = [(text: string) => !NOT_IN_A_TEXT.test(text), 'must not hold control characters'] as const;

/** Counts Unicode code points. An emoji outside of the basic plane counts as one. */
const countCharacters = (text: string) => [...text].length;

/** The name of a key, a token or a person: one line of 1 to 100 code points after trimming. */
export const DisplayName = z
  .string()
  .trim()
  .refine((text) => text !== '' && countCharacters(text) <= MAX_NAME, `must have 1 to ${MAX_NAME} characters`)
  .refine((text) => !NOT_IN_A_NAME.test(text), 'must be one line without control characters');

/** The reason of an entry or a change: 1 to 500 code points after trimming, in NFC. Tokens in it are removed. */
export const ReasonSchema = z
  .string()
  .trim()
  .normalize('NFC')
  .overwrite(redactTokens)
  .refine((text) => text !== '' && countCharacters(text) <= MAX_REASON, `must have 1 to ${MAX_REASON} characters`)
  .refine(...plain)
  .describe(`1 to ${MAX_REASON} characters (Unicode code points) after trimming.`)
  .meta({ example: 'Load test of the payments team' });

/** Works like `ReasonSchema`, and accepts an empty text for no reason. */
export const AuditReasonSchema = z
  .string()
  .trim()
  .normalize('NFC')
  .refine((text) => countCharacters(text) <= MAX_REASON, `must have at most ${MAX_REASON} characters`)
  .refine(...plain)
  .describe(`At most ${MAX_REASON} characters (Unicode code points); kept in the audit log.`)
  .meta({ maxLength: MAX_REASON, example: 'Billing correction' });

const LOCAL = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}$/u;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Returns the canonical form of a member's e-mail address: trimmed and in lower case. The address has exactly one `@`
 * and an ASCII domain. It has no character that Unicode folds into another one (NFKC), because mail systems could turn
 * such a look-alike into another person's address. Returns null for any other text.
 */
export function parseEmail(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > 254 || trimmed.normalize('NFKC') !== trimmed) return null;
  const [local, domain, more] = trimmed.toLowerCase().split('@');
  if (local === undefined || domain === undefined || more !== undefined) return null;
  return LOCAL.test(local) && DOMAIN.test(domain) ? `${local}@${domain}` : null;
}

/** An e-mail address in a request. The result is in canonical form. */
export const EmailInput = z
  .string()
  .transform((text, context) => {
    const email = parseEmail(text);
    if (email === null) context.addIssue('must be an e-mail address with an ASCII domain');
    return email ?? z.NEVER;
  })
  .describe('E-mail address with an ASCII domain; stored in lower case.')
  .meta({ example: 'ada@example.com' });
