import type { CallerType, IdentifierType, OverriddenType } from '@/lib/contract/fields/enumerations';

/** Subject of a limit: an address, a range of addresses, or a user. */
export interface Target {
  type: IdentifierType;
  identifier: string;
}

/** Target of an override: an identifier in a class, or a subject of a named limit. */
export interface OverriddenTarget {
  type: OverriddenType;
  identifier: string;
}

/** Limited caller: an address, a user, an API key by its uuid, an OAuth client, or a subject of named limits. */
export interface LimitedIdentity {
  type: CallerType;
  identifier: string;
}

export const TARGET_LABEL: Record<CallerType, string> = {
  ip: 'IP',
  user_id: 'User',
  api_key: 'Key',
  client_id: 'Client',
  subject: 'Subject',
};

/** True if allowlist entries and overrides can apply to it. */
export function isTarget(identity: LimitedIdentity): identity is Target {
  return identity.type === 'ip' || identity.type === 'user_id';
}

export const TARGET_TYPES = [
  { value: 'ip', label: 'IP or range' },
  { value: 'user_id', label: 'User' },
];

export const OVERRIDDEN_TYPES = [...TARGET_TYPES, { value: 'subject', label: 'Subject of a named limit' }];

export function buildInspectHref({ type, identifier }: LimitedIdentity): string {
  return `/limits/inspect?${new URLSearchParams({ type, identifier })}`;
}

/** True for a range of addresses. */
export const isRange = ({ type, identifier }: LimitedIdentity): boolean => type === 'ip' && identifier.includes('/');

/** True for a range that several counters count. The /64 of an IPv6 address is one counter, so it is not wide. */
export function isWideRange(identity: LimitedIdentity): boolean {
  const { identifier } = identity;
  return isRange(identity) && !(identifier.includes(':') && identifier.endsWith('/64'));
}
