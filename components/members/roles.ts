import type { MemberRole, TokenRole } from '@/lib/contract/fields/enumerations';

export const ROLE_NAMES: Record<TokenRole, string> = {
  viewer: 'Viewer',
  operator: 'Operator',
  owner: 'Owner',
  gateway: 'Gateway',
};

const HINTS: Record<MemberRole, string> = {
  viewer: 'reads',
  operator: 'allowlist, counters, quotas',
  owner: 'everything',
};

export const MEMBER_ROLES = ['viewer', 'operator', 'owner'] as const satisfies readonly MemberRole[];

/** To choose a role from. */
export const ROLE_OPTIONS = MEMBER_ROLES.map((value) => ({ value, label: ROLE_NAMES[value], hint: HINTS[value] }));
