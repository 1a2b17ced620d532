import { TIER_NAMES } from '@/components/keys/tiers';
import { CLASS_NAMES } from '@/components/limits/class-names';
import type { DryRunLimit } from '@/lib/contract/dry-run';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';

/** What a limit of the policies is called on this page: `Read per address`, `Confidential clients`, `Free tier`. */
export function limitName({ path, subject, class: endpointClass }: DryRunLimit): string {
  const last = path.split('.').at(-1) ?? path;
  if (subject === 'quota') {
    const tier = QuotaTierSchema.safeParse(last);
    return `${tier.success ? TIER_NAMES[tier.data] : last} tier`;
  }
  if (subject === 'client') return `${last.charAt(0).toUpperCase()}${last.slice(1)} clients`;
  return `${endpointClass === null ? '' : CLASS_NAMES[endpointClass]} per ${subject === 'ip' ? 'address' : 'user'}`;
}
