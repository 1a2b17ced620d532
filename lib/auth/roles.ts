import type { TokenRole } from '@/lib/contract/fields/enumerations';
import type { RoleAccess } from '@/lib/contract/operation';

const RANK: Record<TokenRole, number> = { gateway: 0, viewer: 1, operator: 2, owner: 3 };

/**
 * Whether a role reaches an access. `viewer`, `operator` and `owner` include each other upwards; `gateway` is apart: it
 * opens `decide` (and the metrics, which any token opens) and nothing else.
 */
export function roleAllows(role: TokenRole, access: RoleAccess): boolean {
  switch (access) {
    case 'public':
    case 'any-token':
      return true;
    case 'decide':
      return role !== 'viewer';
    case 'viewer':
    case 'operator':
    case 'owner':
      return RANK[role] >= RANK[access];
  }
}
