import { formatPace, formatWindow } from '@/components/format/duration';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { capitalize } from '@/lib/capitalize';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { DryRunLimit } from '@/lib/contract/policies-dry-run';
import { formatCount, formatNumber } from '@/lib/format-number';

/** Describes the average rate of a limit in a sentence. Empty if the limit is invalid. */
export function describePace(limit: number, seconds: number): string {
  const effect = describeLimitEffect(limit, seconds);
  if (limit === 0 || effect === '') return effect === '' ? '' : `${effect}.`;
  const pace = formatPace(limit, seconds);
  return `${capitalize(pace)}.`;
}

/** Describes a limit in words. Empty if it is invalid. Both numbers may be arbitrary input; `seconds` is the window. */
export function describeLimitEffect(limit: number, seconds: number): string {
  if (!Number.isInteger(limit) || !Number.isInteger(seconds) || limit < 0 || seconds < 1) return '';
  if (limit === 0) return 'Refuses every request';
  return `${formatNumber(limit)} in ${formatWindow(seconds)}, ${formatPace(limit, seconds)}`;
}

/** Names a limit: `Read per address`, `Confidential clients`, `Free tier`. */
export function nameDryRunLimit({ path, subject, class: endpointClass }: DryRunLimit): string {
  const last = path.split('.').at(-1) ?? path;
  const tier = QuotaTierSchema.safeParse(last);
  if (subject === 'quota') return `${tier.success ? TIER_NAMES[tier.data] : last} tier`;
  if (tier.success) return `${TIER_NAMES[tier.data]} tier, per minute`;
  if (subject === 'client') return `${capitalize(last)} clients`;
  return `${endpointClass === null ? '' : CLASS_NAMES[endpointClass]} per ${subject === 'ip' ? 'address' : 'user'}`;
}

/** Formats bounds: `30`, or `30 to 40` if they differ. */
export function formatBounds({ at_least: least, at_most: most }: { at_least: number; at_most: number }): string {
  return least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
}

/** Steps that bounds are rounded to. */
const STEPS = [1_000_000, 100_000, 10_000, 1_000, 100, 10] as const;
/** Largest spread of bounds, as a share of their middle, that is still shown as one number. */
const CLOSE = 0.3;

/** Formats bounds roughly: `80`, `about 100` for 96 to 106, and both bounds if they are far apart. */
export function formatRoughBounds(range: { at_least: number; at_most: number }): string {
  const spread = range.at_most - range.at_least;
  if (spread === 0) return formatNumber(range.at_least);
  const middle = (range.at_least + range.at_most) / 2;
  if (spread > CLOSE * middle) return formatBounds(range);
  const step = STEPS.find((size) => size <= spread) ?? 1;
  return `about ${formatNumber(Math.round(middle / step) * step)}`;
}

const SUBJECTS = {
  ip: ['address', 'addresses'],
  user: ['user', 'users'],
  client: ['client', 'clients'],
  quota: ['API key', 'API keys'],
} as const satisfies Record<DryRunLimit['subject'], readonly [string, string]>;

/** Describes what a changed limit would have done in the last hour, and which caller it would have refused most. */
export function describeDryRunEffect(limit: DryRunLimit): { effect: string; who: string | null } {
  const { in_force: now, changed, subject } = limit;
  const of = formatCount(limit.requests + limit.requests_not_followed, 'unit');
  const [then, today] = [formatRoughBounds(changed), formatRoughBounds(now)];
  const effect =
    then === today
      ? `${then === '0' ? 'nothing' : then} refused, unchanged (of ${of})`
      : `${then} refused instead of ${today} (of ${of})`;
  const most = changed.identifiers.at_most;
  if (most === 0) return { effect, who: null };
  const [one, several] = SUBJECTS[subject];
  return { effect, who: most === 1 ? `1 ${one}:` : `${formatBounds(changed.identifiers)} ${several}, most of all` };
}

/** Describes how many keys of a tier have used up a changed quota. Empty if the number stays the same. */
export function describeUsedUp({ used_up: used }: DryRunLimit): string {
  if (used === undefined || used.changed === used.in_force) return '';
  const named = used.most.slice(0, used.changed > 3 ? 2 : 3);
  const others = used.changed - named.length;
  const names = others === 0 ? named.join(', ') : `${named.join(', ')} and ${formatCount(others, 'other')}`;
  const keys = `${formatNumber(used.changed)} instead of ${formatCount(used.in_force, 'key')}`;
  return `Refused until their month ends: ${keys}${names === '' ? '' : `: ${names}`}.`;
}
