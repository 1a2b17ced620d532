import { listFirstNames } from '@/lib/admin/effect/sentences';
import { formatCount } from '@/lib/format-number';

/** Recorded use of a credential. */
export type Use =
  /** `units` covers the last hour. `origins` are the addresses of the last day, those with most requests first. */
  | { kind: 'key'; units: number; origins: readonly string[]; lastUse: string | null }
  /** `changes` covers the last hour. */
  | { kind: 'token'; changes: number; lastUse: string | null };

/** Formats "120 units in the last hour, most from 203.0.113.7; it was last used at ...". Null if it was never used. */
function formatRecentUse(use: Use): string | null {
  const inTheHour = use.kind === 'key' ? use.units : use.changes;
  // The time of the last use is written with a delay.
  if (use.lastUse === null && inTheHour === 0) return null;
  const last = use.lastUse === null ? '' : `; it was last used at ${use.lastUse}`;
  if (use.kind === 'token')
    return `${use.changes === 0 ? 'no change' : formatCount(use.changes, 'change')} by it in the last hour${last}`;
  if (use.units === 0) return `none in the last hour${last}`;
  const from = use.origins.length === 0 ? '' : `, most from ${listFirstNames(use.origins, use.origins.length)}`;
  return `${formatCount(use.units, 'unit')} in the last hour${from}${last}`;
}

export const NEVER_USED = 'It was never used.';

/** Says which requests fail after a credential is revoked. */
export function formatRevocation(use: Use): string {
  const recentUse = formatRecentUse(use);
  return recentUse === null ? NEVER_USED : `Requests with it get 401: ${recentUse}.`;
}

/** Says which requests fail after a key ends earlier. */
export function formatEarlierEnd(end: string, use: Use): string {
  const recentUse = formatRecentUse(use);
  return `Requests with it get 401 from ${end}${recentUse === null ? '; it was never used' : `: ${recentUse}`}.`;
}

/**
 * Says which requests fail after a key gets a new secret.
 * @param until end of the previous secret; null if immediate
 */
export function formatRotation(until: string | null, use: Use): string {
  const recentUse = formatRecentUse(use);
  if (recentUse === null) return NEVER_USED;
  return `Requests with the previous secret get 401 ${until === null ? 'at once' : `from ${until}`}: ${recentUse}.`;
}

/** Says that a new key takes the name of a revoked one. */
export function formatReusedName(revokedAt: string): string {
  return `A key of this name was revoked at ${revokedAt}. This is another key with its own secret.`;
}
