import { formatWindow } from '@/components/format/duration';
import type { Target } from '@/components/links/target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { formatNumber } from '@/lib/format-number';

export const OUTCOME_NAMES: Record<LoggedDecision['outcome'], string> = {
  refused: 'Refused',
  bypassed: 'Bypassed',
  degraded: 'Degraded',
  observed: 'Observed',
};

/** Returns the address or user of a decision. Null if it concerns a client, a key, a named limit or the throttle. */
export function findTarget({ identifier, subject, ip }: LoggedDecision): Target | null {
  if (subject !== null && subject !== 'ip' && subject !== 'user') return null;
  if (identifier !== null && subject === 'user') return { type: 'user_id', identifier };
  if (identifier !== null && subject === 'ip') return { type: 'ip', identifier };
  return ip === null ? null : { type: 'ip', identifier: ip };
}

/** Names the source of the limit that refused. */
export const SOURCE_NAMES: Readonly<Record<string, string>> = {
  policy: 'Policy of the class',
  override: 'Override',
  client: 'Client type',
  tier: 'Tier of the key',
  limit: 'Named limit',
  key: 'Numbers of this key only',
  allowlist: 'Allowlist',
  throttle: 'Global throttle',
  incident: 'Incident: read-only',
};

const REFUSED_BY: Record<NonNullable<LoggedDecision['subject']>, string> = {
  ip: 'limit of the address',
  user: 'limit of the user',
  client: 'limit of the client',
  limit: 'named limit',
  quota: 'quota of the key',
  global: 'global throttle',
};

/** Describes a decision in a sentence: "8 of 8 requests in 1 min were used." */
export function describeDecision({
  outcome,
  limit,
  window_seconds: window,
  used,
  subject,
  reason,
  source,
  limit_name: limitName,
}: LoggedDecision): string {
  if (outcome === 'bypassed') return 'Allowed by the allowlist; its limits were not checked.';
  if (outcome === 'degraded') return 'Decided without the counter store, at half the limit.';
  if (source === 'incident') return 'Refused: writes are refused while the incident is read-only.';
  if (reason === 'invalid_api_key') return 'Refused: the API key is unknown, revoked or expired.';
  const verb = outcome === 'observed' ? 'Let through by the incident; it would be refused' : 'Refused';
  const ofLimit = limitName === null ? '' : ` of the limit ${limitName}`;
  if (limit === 0) return `${verb}: the limit${limitName === null ? '' : ` ${limitName}`} is 0.`;
  if (limit === null || used === null)
    return `${verb} by the ${limitName === null ? (subject === null ? 'limits' : REFUSED_BY[subject]) : `limit ${limitName}`}.`;
  const time = window === null ? '' : subject === 'quota' ? ' this month' : ` in ${formatWindow(window)}`;
  return `${verb}: ${formatNumber(used)} of ${formatNumber(limit)} ${limitName === null ? 'requests' : 'units'}${time}${ofLimit} were used.`;
}
