import type { TokenRole } from '@/lib/contract/fields/enumerations';
import type { RoleAccess } from '@/lib/contract/operation';

/** The sender of a request. `id` is `token:<uuid>`, `member:<uuid>`, `bootstrap`, `system` or `anonymous`. */
export interface Actor {
  readonly id: string;
  /** Name that a person recognises: an e-mail address, or the name of a token. */
  readonly name: string;
  readonly role: TokenRole;
}

export const ANONYMOUS: Actor = { id: 'anonymous', name: 'anonymous', role: 'gateway' };
export const SYSTEM: Actor = { id: 'system', name: 'Sluice', role: 'owner' };

const RANK: Record<TokenRole, number> = { gateway: 0, viewer: 1, operator: 2, owner: 3 };

/**
 * Returns whether a role grants an access. `viewer`, `operator` and `owner` include each other upwards. `gateway` is
 * separate: it grants only `decide` and the metrics (`any-token`).
 */
export function isRoleAllowed(role: TokenRole, access: RoleAccess): boolean {
  if (access === 'public' || access === 'any-token') return true;
  return access === 'decide' ? role !== 'viewer' : RANK[role] >= RANK[access];
}
