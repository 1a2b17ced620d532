import { KeyRound, KeySquare, LifeBuoy, ShieldCheck, SlidersHorizontal, UserRound } from 'lucide-react';
import { ALLOWLIST_ACTIONS } from '@/components/allowlist/allowlist-actions';
import { GRANT_ACTIONS } from '@/components/keys/grant-actions';
import { KEY_ACTIONS } from '@/components/keys/key-actions';
import type { ListContract } from '@/components/list/use-resource-list';
import { changeRole, MEMBER_ACTIONS } from '@/components/members/member-actions';
import { formatLimitNumbers } from '@/components/named-limits/numbers-words';
import { OVERRIDE_ACTIONS } from '@/components/overrides/override-actions';
import { nameLimit } from '@/components/overrides/override-words';
import type { Command } from '@/components/palette/command';
import type { Actions } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { TOKEN_ACTIONS } from '@/components/tokens/token-actions';
import { type AllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { listGrants, type QuotaGrant } from '@/lib/contract/grants';
import { type ApiKeyWithUsage, listApiKeys } from '@/lib/contract/keys';
import { listMembers, type Member } from '@/lib/contract/members';
import { listOverrides, type Override } from '@/lib/contract/overrides';
import { type AdminToken, listTokens } from '@/lib/contract/tokens';

/** A resource whose rows the palette finds by name, with a page and actions for each. */
export interface FoundResource<Row> {
  /** First part of the commands' ids. */
  kind: string;
  group: string;
  /** First part of the query key. */
  key: string;
  contract: ListContract<Row>;
  query: { limit: string; sort?: string };
  /** Name of a row, as the history command shows it. */
  name: (row: Row) => string;
  /** Words that find every command of a row. */
  keywords: (row: Row) => readonly string[];
  /** Command that opens the row's page, if it has one. */
  page?: (row: Row) => Pick<Command, 'label' | 'icon' | 'note' | 'keywords'> & { href: string };
  /** Name of the row in the audit log, if it has a history. */
  target?: (row: Row) => string;
  actions: Actions<Row>;
}

const HelpDrawer = loadOnDemand(() => import('@/components/help/help-drawer'));
const FEW = { limit: '5' };
const NOTE = 48;
const shortenReason = (reason: string) => (reason.length > NOTE ? `${reason.slice(0, NOTE)}…` : reason);
const buildSearchHref = (path: string, q: string, tab?: string) =>
  `${path}?${new URLSearchParams({ ...(tab ? { tab } : {}), q })}`;

export const KEYS: FoundResource<ApiKeyWithUsage> = {
  kind: 'key',
  group: 'Keys',
  key: 'api-keys',
  contract: listApiKeys,
  query: { limit: '20', sort: 'name' },
  name: ({ name }) => name,
  keywords: ({ prefix, id }) => [prefix, id],
  page: ({ id, name, prefix }) => ({
    label: name,
    icon: KeyRound,
    keywords: ['open', 'api key', prefix, id],
    note: `${prefix}…`,
    href: `/keys/${id}`,
  }),
  target: ({ id }) => id,
  actions: {
    help: {
      label: 'Help…',
      icon: LifeBuoy,
      needs: 'viewer',
      dialog: ({ id }, onClose) => <HelpDrawer request={{ type: 'api_key', identifier: id }} onClose={onClose} />,
      command: ({ name }) => `Help ${name}`,
      stage: 'Help a client',
      keywords: ['why', 'explain', 'refused'],
    },
    ...KEY_ACTIONS,
  },
};

const ROLE_ACTIONS = Object.fromEntries(MemberRoleSchema.options.map((role) => [`role-${role}`, changeRole(role)]));

export const MEMBERS: FoundResource<Member> = {
  kind: 'member',
  group: 'Members',
  key: 'members',
  contract: listMembers,
  query: FEW,
  name: ({ email }) => email,
  keywords: ({ email, name }) => [email, ...(name ? [name] : []), 'member'],
  page: ({ email, name, role }) => ({
    label: name ?? email,
    icon: UserRound,
    note: role,
    href: buildSearchHref('/settings', email, 'members'),
  }),
  target: ({ id }) => id,
  actions: { ...ROLE_ACTIONS, ...MEMBER_ACTIONS },
};

export const TOKENS: FoundResource<AdminToken> = {
  kind: 'token',
  group: 'Admin tokens',
  key: 'tokens',
  contract: listTokens,
  query: FEW,
  name: ({ name }) => name,
  keywords: ({ name, prefix }) => [name, prefix, 'token'],
  page: ({ name, prefix }) => ({
    label: name,
    icon: KeySquare,
    note: `${prefix}…`,
    href: buildSearchHref('/settings', name, 'tokens'),
  }),
  target: ({ id }) => id,
  actions: TOKEN_ACTIONS,
};

export const ENTRIES: FoundResource<AllowlistEntry> = {
  kind: 'entry',
  group: 'Allowlist',
  key: 'allowlist',
  contract: listAllowlist,
  query: FEW,
  name: ({ identifier }) => identifier,
  keywords: ({ identifier, reason }) => [identifier, reason, 'allowlist', 'entry', 'bypass'],
  page: ({ identifier, reason }) => ({
    label: `Allowlist entry of ${identifier}`,
    icon: ShieldCheck,
    note: shortenReason(reason),
    href: buildSearchHref('/allowlist', identifier),
  }),
  target: ({ identifier }) => identifier,
  actions: ALLOWLIST_ACTIONS,
};

export const OVERRIDES: FoundResource<Override> = {
  kind: 'override',
  group: 'Overrides',
  key: 'overrides',
  contract: listOverrides,
  query: FEW,
  name: ({ identifier }) => identifier,
  keywords: ({ identifier, reason }) => [identifier, reason, 'override', 'limit', 'exception'],
  page: (override) => ({
    label: `${nameLimit(override)} override of ${override.identifier}`,
    icon: SlidersHorizontal,
    note: formatLimitNumbers(override),
    href: buildSearchHref('/limits/overrides', override.identifier),
  }),
  target: ({ identifier }) => identifier,
  actions: OVERRIDE_ACTIONS,
};

export const GRANTS: FoundResource<QuotaGrant> = {
  kind: 'grant',
  group: 'Grants',
  key: 'api-keys',
  contract: listGrants,
  query: FEW,
  name: ({ api_key_name }) => api_key_name,
  keywords: ({ reason }) => [reason, 'quota', 'remove'],
  actions: GRANT_ACTIONS,
};
