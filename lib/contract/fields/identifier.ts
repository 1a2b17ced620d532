import { z } from 'zod';
import { type CallerType, CallerTypeSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { isUuid } from '@/lib/contract/fields/ids';
import { LimitSubject } from '@/lib/contract/fields/named-limit';
import type { UserId } from '@/lib/ids';
import { parseRange, widenRange } from '@/lib/limiter/address';

const MAX_USER_ID = 256;
const USER_ID_MESSAGE = `must be 1 to ${MAX_USER_ID} characters without control characters`;

/**
 * Characters that an id may not hold: control characters (C0, DEL, C1), bidirectional overrides and unpaired
 * surrogates.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Returns whether the text has the form of a user id: 1 to 256 code points without control characters. */
export function isUserId(text: string): boolean {
  if (text.length === 0 || text.length > 2 * MAX_USER_ID) return false;
  // Most ids are ASCII, and this check takes a tenth of the time.
  if (text.length <= MAX_USER_ID && PRINTABLE_ASCII.test(text)) return true;
  return [...text].length <= MAX_USER_ID && !FORBIDDEN.test(text);
}

export const UserIdInput: z.ZodType<UserId, string> = z.string().refine(isUserId, USER_ID_MESSAGE);

/** Returns the canonical form of an identifier, or null if it is not valid for its type. */
export function parseIdentifier(type: CallerType, text: string): string | null {
  if (type === 'ip') return parseRange(text)?.text ?? null;
  if (type === 'api_key') return isUuid(text) ? text.toLowerCase() : null;
  if (type === 'subject') return LimitSubject.safeParse(text).success ? text : null;
  return isUserId(text) ? text : null;
}

/**
 * Returns the canonical form of an identifier for an override. An IPv6 address, or a range within a /64, becomes that
 * /64. Its addresses share one counter, so they share one limit.
 */
export function parseOverriddenIdentifier(type: CallerType, text: string): string | null {
  const range = type === 'ip' ? parseRange(text) : null;
  return range === null ? parseIdentifier(type, text) : widenRange(range).text;
}

export const identifierFields = {
  type: IdentifierTypeSchema,
  identifier: z.string().describe('An IPv4 or IPv6 address or CIDR range, or a user id, according to `type`.'),
};

/** Identifies a caller like `identifierFields`, also by an API key or an OAuth client. */
export const callerFields = {
  type: CallerTypeSchema,
  identifier: z
    .string()
    .describe(
      "An IPv4 or IPv6 address or CIDR range, a user id, an API key's uuid, or an OAuth client, or the subject of a named limit, according to `type`.",
    ),
};

const MESSAGES: Readonly<Record<CallerType, string>> = {
  ip: 'must be an IP address or CIDR range',
  user_id: USER_ID_MESSAGE,
  api_key: 'must be a uuid',
  client_id: USER_ID_MESSAGE,
  subject: USER_ID_MESSAGE,
};

type Named = { type: CallerType; identifier: string };

const canonicalizeIdentifier =
  (canonical: (type: CallerType, text: string) => string | null) =>
  <T extends Named>(value: T, context: z.core.$RefinementCtx<T>): T => {
    const identifier = canonical(value.type, value.identifier);
    if (identifier !== null) return { ...value, identifier };
    context.addIssue({ code: 'custom', path: ['identifier'], message: MESSAGES[value.type] });
    return value;
  };

/** Makes a schema with `type` and `identifier` return the canonical identifier. */
export const withCanonicalIdentifier = canonicalizeIdentifier(parseIdentifier);

/** Makes a schema of an override return the canonical identifier of all that it limits. */
export const withOverriddenIdentifier = canonicalizeIdentifier(parseOverriddenIdentifier);
