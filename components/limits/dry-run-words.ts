import { countOf, formatNumber } from '@/components/format/number';
import type { DryRun } from '@/lib/contract/dry-run';

/** `30`, or `30 to 40` where only bounds are known. */
export function rangeWords({ at_least: least, at_most: most }: { at_least: number; at_most: number }): string {
  return least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
}

/** What a dry-run came to, in a sentence or two. */
export function dryRunWords(run: DryRun): string {
  const rest = run.not_replayed.length === 0 ? '' : ` Not replayed: ${run.not_replayed.map(partName).join(', ')}.`;
  if (run.limits.length === 0) return `This part of the policies cannot be tried on past traffic.${rest}`;
  if (run.known_from === null) return `There was no traffic in the last hour to try this on.${rest}`;
  const [only] = run.limits;
  const of = run.limits.length === 1 && only ? only.requests + only.requests_not_followed : run.requests;
  const who =
    run.limits.length === 1 && only && only.changed.identifiers.at_most > 0
      ? ` of ${rangeWords(only.changed.identifiers)} ${only.changed.identifiers.at_most === 1 ? 'identifier' : 'identifiers'}`
      : '';
  return `In the last hour it would have refused ${rangeWords(run.changed)} of ${countOf(of, 'request')}${who}; as it is, ${rangeWords(run.in_force)}.${rest}`;
}

function partName(path: string): string {
  return path === 'global' ? 'the global throttle' : 'what happens when the store is lost';
}
