import { z } from 'zod';

const LOCAL = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}$/u;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * The one form of an e-mail address by which a member is known: trimmed and in lower case. Exactly one `@`, an ASCII
 * domain, and no character that Unicode folds into another one (NFKC), because such a look-alike could turn into
 * another person's address on the way. Null for everything else.
 */
export function canonicalEmail(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > 254 || trimmed.normalize('NFKC') !== trimmed) return null;
  const [local, domain, more] = trimmed.toLowerCase().split('@');
  if (local === undefined || domain === undefined || more !== undefined) return null;
  return LOCAL.test(local) && DOMAIN.test(domain) ? `${local}@${domain}` : null;
}

/** An e-mail address in a request, in canonical form. */
export const EmailInput = z
  .string()
  .transform((text, context) => {
    const email = canonicalEmail(text);
    if (email === null) context.addIssue('must be an e-mail address with an ASCII domain');
    return email ?? z.NEVER;
  })
  .describe('E-mail address with an ASCII domain; kept in lower case.')
  .meta({ example: 'ada@example.com' });
