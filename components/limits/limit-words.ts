import { formatPace, formatWindow } from '@/components/format/duration';
import { countOf, formatNumber } from '@/components/format/number';
import { TIER_NAMES } from '@/components/keys/tiers';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { DryRun, DryRunLimit } from '@/lib/contract/policies';

/** A limit in words, or what to enter instead. Both numbers may be anything that was typed; `seconds` is the window. */
export function limitEffect(limit: number, seconds: number): string {
  if (!Number.isInteger(limit) || !Number.isInteger(seconds) || limit < 0 || seconds < 1) return 'Enter whole numbers.';
  if (limit === 0) return 'Refuses every request.';
  return `${formatNumber(limit)} in ${formatWindow(seconds)}, ${formatPace(limit, seconds)}`;
}

/** `Read per address`, `Confidential clients`, `Free tier`. */
export function limitName({ path, subject, class: endpointClass }: DryRunLimit): string {
  const last = path.split('.').at(-1) ?? path;
  if (subject === 'quota') {
    const tier = QuotaTierSchema.safeParse(last);
    return `${tier.success ? TIER_NAMES[tier.data] : last} tier`;
  }
  if (subject === 'client') return `${last.charAt(0).toUpperCase()}${last.slice(1)} clients`;
  return `${endpointClass === null ? '' : CLASS_NAMES[endpointClass]} per ${subject === 'ip' ? 'address' : 'user'}`;
}

/** `30`, or `30 to 40` where only bounds are known. */
export function rangeWords({ at_least: least, at_most: most }: { at_least: number; at_most: number }): string {
  return least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
}

export function dryRunWords(run: DryRun): string {
  const rest = run.not_replayed.length === 0 ? '' : ` Not replayed: ${run.not_replayed.map(partName).join(', ')}.`;
  if (run.limits.length === 0) return `This part of the policies cannot be replayed on past traffic.${rest}`;
  if (run.known_from === null) return `There was no traffic in the last hour to replay.${rest}`;
  const only = run.limits.length === 1 ? run.limits[0] : undefined;
  const of = only ? only.requests + only.requests_not_followed : run.requests;
  const who =
    only && only.changed.identifiers.at_most > 0
      ? ` of ${rangeWords(only.changed.identifiers)} ${only.changed.identifiers.at_most === 1 ? 'identifier' : 'identifiers'}`
      : '';
  return `In the last hour, ${rangeWords(run.changed)} of ${countOf(of, 'request')}${who} would have been refused, instead of ${rangeWords(run.in_force)}.${rest}`;
}

function partName(path: string): string {
  return path === 'global' ? 'the global throttle' : 'the behavior while the store is down';
}
