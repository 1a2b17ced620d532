import { zodResolver } from '@hookform/resolvers/zod';
import type { z } from 'zod';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { formatWindow } from '@/components/format/duration';
import { LimitSchema, PoliciesSchema } from '@/lib/contract/policies';
import { formatNumber } from '@/lib/format-number';

const PolicyForm = PoliciesSchema.extend({ reason: ReasonInput });
export type PolicyValues = z.input<typeof PolicyForm>;

const { limit, window_seconds } = LimitSchema.shape;

/** Describes the allowed range of an invalid value. */
export function describeAllowedRange(path: readonly PropertyKey[]): string {
  if (path.at(-1) === 'window_seconds') {
    const longest = formatWindow(window_seconds.maxValue ?? 0);
    return `Enter a window from ${formatWindow(window_seconds.minValue ?? 1)} to ${longest}, in whole seconds.`;
  }
  if (path.at(-1) === 'lease') return 'Enter a whole number from 1 to 1,000,000, or nothing.';
  if (path[0] === 'cors_origins') return 'Enter origins such as https://app.example.com, or *.';
  if (path[0] === 'exceptions') return 'Enter 1 to 3,650 days, or nothing.';
  if (path[0] === 'tier_rates') return `Enter a whole number up to ${formatNumber(limit.maxValue ?? 0)}, or nothing.`;
  if (path[0] === 'tiers') return 'Enter a whole number, 0 or more.';
  return `Enter a whole number from 0 to ${formatNumber(limit.maxValue ?? 0)}.`;
}

export const policyResolver = zodResolver(PolicyForm, { error: (issue) => describeAllowedRange(issue.path ?? []) });
