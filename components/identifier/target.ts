import type { IdentifierType } from '@/lib/contract/fields/enumerations';

/** Whom a limit concerns: an address, a range of addresses, or a user. */
export interface Target {
  type: IdentifierType;
  identifier: string;
}

export const TARGET_LABEL: Record<IdentifierType, string> = { ip: 'IP', user_id: 'User' };

/** The inspector's page for one identifier. */
export function inspectHref({ type, identifier }: Target): string {
  return `/limits/inspect?${new URLSearchParams({ type, identifier })}`;
}
