import type { Target } from '@/components/identifier/target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';

export const REASON_NAMES: Readonly<Record<string, string>> = {
  rate_limit_exceeded: 'Address limit',
  user_rate_limit_exceeded: 'User limit',
  client_rate_limit_exceeded: 'Client limit',
  quota_exceeded: 'Quota',
  service_unavailable: 'Unavailable',
  invalid_api_key: 'Invalid key',
};

export const OUTCOME_NAMES: Record<LoggedDecision['outcome'], string> = {
  refused: 'Refused',
  bypassed: 'Bypassed',
  degraded: 'Degraded',
};

/** The address or user that a decision is about; null where it is about a client, a key or the throttle. */
export function targetOf({ identifier, subject, ip }: LoggedDecision): Target | null {
  if (subject === 'client' || subject === 'quota' || subject === 'global') return null;
  if (identifier !== null && subject === 'user') return { type: 'user_id', identifier };
  if (identifier !== null && subject === 'ip') return { type: 'ip', identifier };
  return ip === null ? null : { type: 'ip', identifier: ip };
}

/** The search text as query parameters: a path, an address, or a user. */
export function searchQuery(text: string): Record<string, string> {
  const search = text.trim();
  if (search === '') return {};
  if (search.startsWith('/')) return { path: search };
  const address = canonicalIdentifier('ip', search);
  return address === null ? { type: 'user_id', identifier: search } : { type: 'ip', identifier: address };
}
