import { type MemberRole, MemberRoleSchema, type TokenRole } from '@/lib/contract/fields/enumerations';

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

export const ROLE_OPTIONS = MemberRoleSchema.options.map((value) => ({
  value,
  label: ROLE_NAMES[value],
  hint: HINTS[value],
}));
