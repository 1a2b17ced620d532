import type { Context } from '@/lib/operation/context';

/** Preference for the number of all rows (RFC 7240). The name is that of PostgREST. */
export const EXACT_COUNT = 'count=exact';

/** Returns whether a request prefers the number of all rows. */
export function shouldCountTotal({ facts }: Context): boolean {
  const preferences = (facts.headers.get('prefer') ?? '').split(/[,;]/);
  return preferences.some((preference) => preference.trim().toLowerCase() === EXACT_COUNT);
}
