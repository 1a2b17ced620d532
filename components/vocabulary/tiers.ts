import { type QuotaTier, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { formatNumber } from '@/lib/format-number';

export const TIER_NAMES: Record<QuotaTier, string> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
  enterprise: 'Enterprise',
};

/** Options for choosing a tier, with its monthly quota once `limits` are loaded. */
export function buildTierOptions(limits?: Readonly<Record<QuotaTier, number>>) {
  return QuotaTierSchema.options.map((value) => ({
    value,
    label: TIER_NAMES[value],
    hint: limits ? `${formatNumber(limits[value])} a month` : undefined,
  }));
}
