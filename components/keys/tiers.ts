import type { QuotaTier } from '@/lib/contract/fields/enumerations';

export const TIERS = ['free', 'starter', 'business', 'enterprise'] as const satisfies readonly QuotaTier[];

/** How the tiers are written for people. */
export const TIER_NAMES: Record<QuotaTier, string> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
  enterprise: 'Enterprise',
};
