import type { RefinementCtx } from 'zod';
import { computeExpiry, type ExpiryChoice } from '@/components/form/fields/expiry-field';
import { usePolicies } from '@/components/policies/policies';
import { formatCount } from '@/lib/format-number';
import { DAY, MINUTE } from '@/lib/units';

/** Returns the longest duration of exemptions by the policies, in days. Null if there is none or while loading. */
export function useLongestLife(): number | null {
  return usePolicies().data?.value.exceptions.longest_days ?? null;
}

const describeLongestLife = (longest: number) =>
  `Must end within ${longest === 1 ? 'a day' : formatCount(longest, 'day')}, as the policies say.`;

/** Returns the longest duration for a field that asks for an end. */
export const buildLongestEnd = (longest: number | null) =>
  longest === null ? null : { days: longest, note: describeLongestLife(longest) };

/** Explains why an end is too far away. Null if it is allowed. `now` is in milliseconds. */
export function explainTooLong(longest: number | null, end: string | null, now: number): string | null {
  if (longest === null || (end !== null && !(Date.parse(end) > now + longest * DAY))) return null;
  return describeLongestLife(longest);
}

/**
 * Returns the end, or the latest end that the policies allow. The latter is a minute early, because the server's clock
 * may be behind.
 */
export function clampEnd(longest: number | null, end: string | null, now: number): string | null {
  if (longest === null || explainTooLong(longest, end, now) === null) return end;
  return new Date(now + longest * DAY - MINUTE).toISOString();
}

/** Validates the end in a form before the server does. */
export const validateLife = (longest: number | null) => (form: { expiry: ExpiryChoice }, context: RefinementCtx) => {
  const now = Date.now();
  const message = explainTooLong(longest, computeExpiry(form.expiry, now), now);
  if (message !== null) context.addIssue({ code: 'custom', path: ['expiry', 'custom'], message });
};
