import { formatNumber } from '@/components/format/number';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';

export const TIERS = ['free', 'starter', 'business', 'enterprise'] as const satisfies readonly QuotaTier[];

export const TIER_NAMES: Record<QuotaTier, string> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
  enterprise: 'Enterprise',
};

/** To choose a tier from, with its monthly quota once `limits` are loaded. */
export function tierOptions(limits?: Readonly<Record<QuotaTier, number>>) {
  return TIERS.map((value) => ({
    value,
    label: TIER_NAMES[value],
    hint: limits ? `${formatNumber(limits[value])} a month` : undefined,
  }));
}
