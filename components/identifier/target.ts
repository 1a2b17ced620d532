import type { IdentifierType } from '@/lib/contract/fields/enumerations';

/** The subject of a limit: an address, a range of addresses, or a user. */
export interface Target {
  type: IdentifierType;
  identifier: string;
}

export const TARGET_LABEL: Record<IdentifierType, string> = { ip: 'IP', user_id: 'User' };

export const TARGET_TYPES = [
  { value: 'ip', label: 'IP or range' },
  { value: 'user_id', label: 'User' },
];

export function inspectHref({ type, identifier }: Target): string {
  return `/limits/inspect?${new URLSearchParams({ type, identifier })}`;
}
