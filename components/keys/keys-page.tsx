'use client';

import { CalendarClock, KeyRound } from 'lucide-react';
import type { Selection } from '@/components/batch/batch-action';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { CopyButton } from '@/components/format/copy-button';
import { KeyLink } from '@/components/identifier/key-link';
import { CreateKeyDialog, KEY_ACTIONS } from '@/components/keys/key-actions';
import { ExpiryBadge, KeyStateBadge, RunsOutDay, SOON_DAYS } from '@/components/keys/key-state';
import { timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import { RowMenu } from '@/components/list/row-menu';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { ActionItems } from '@/components/shell/action';
import { MeterBar } from '@/components/ui/meter-bar';
import { buildTierOptions, TIER_NAMES } from '@/components/vocabulary/tiers';
import { type ApiKeyWithUsage, listApiKeys } from '@/lib/contract/keys';
import { formatNumber } from '@/lib/format-number';

/** Query parameters for choices that are not a `state` of the API. */
const ASKED: Readonly<Record<string, Record<string, string>>> = {
  runs_out: { runs_out: 'true' },
  never_used: { never_used: 'true' },
  expires_soon: { expires_within: String(SOON_DAYS) },
};

const SELECTION: Selection<ApiKeyWithUsage> = {
  nouns: ['key', 'keys'],
  id: ({ id }) => id,
  isManaged: ({ managed }) => managed === true,
  name: ({ name }) => name,
  target: ({ id }) => id,
  canSelect: ({ revoked_at }) => revoked_at === null,
  changes: ['api-keys'],
  actions: [
    {
      ...KEY_ACTIONS.tier,
      title: (what) => `Change the tier of ${what}`,
      description: 'The new limit applies at once; what was used this month stays counted.',
      submitLabel: 'Change tier',
      example: 'Upgraded by sales, order 4711',
      asks: 'tier',
      done: (what) => `The tier of ${what} is changed`,
      buildCall: ({ id }, { tier, reason }) => ({ operation: 'changeTier', item: { api_key: id, tier, reason } }),
    },
    {
      ...KEY_ACTIONS.reset,
      destructive: true,
      title: (what) => `Reset the usage of ${what}?`,
      description: 'What was used this month is forgiven; the history stays.',
      submitLabel: 'Reset usage',
      example: 'Runaway job at the customer, agreed with support',
      done: (what) => `The usage of ${what} is reset`,
      buildCall: ({ id }, { reason }) => ({ operation: 'resetQuota', item: { api_key: id, reason } }),
    },
    {
      label: 'Change expiry…',
      icon: CalendarClock,
      needs: 'owner',
      title: (what) => `Change the expiry of ${what}`,
      description: 'An expired key is refused with 401 until it gets another end.',
      submitLabel: 'Change expiry',
      example: 'The contracts run for another quarter',
      asks: 'expiry',
      done: (what) => `The expiry of ${what} is changed`,
      buildCall: ({ id }, { end, reason }) => ({ operation: 'extendApiKey', item: { id, expires_at: end, reason } }),
    },
    {
      ...KEY_ACTIONS.revoke,
      title: (what) => `Revoke ${what}?`,
      description: 'Requests with these keys get 401 from now on. Their names can be reused; their history stays.',
      submitLabel: 'Revoke keys',
      example: 'The contract has ended',
      done: (what) => `${what} revoked`,
      buildCall: ({ id }, { reason }) => ({ operation: 'revokeApiKey', item: { id, reason } }),
    },
  ],
};

const useKeySelection = (list: Selectable<ApiKeyWithUsage>) => useSelection(SELECTION, list);

const LIST: ResourceDeclaration<ApiKeyWithUsage> = {
  title: 'Keys & quotas',
  description: 'API keys and what each has used of its monthly quota.',
  needs: 'owner',
  add: { label: 'New key', Dialog: CreateKeyDialog },
  exported: true,
  noMatch: 'No key matches',
  key: 'api-keys',
  contract: listApiKeys,
  label: 'API keys',
  search: { label: 'Search name, prefix or id' },
  sortings: ['name', 'prefix', 'tier', 'usage', 'remaining', 'runs_out_at', 'last_used_at', 'created_at'],
  sort: 'name',
  facets: [
    { name: 'tier', label: 'Tier', options: buildTierOptions() },
    {
      name: 'state',
      label: 'State',
      options: [
        { value: 'active', label: 'Below 80%' },
        { value: 'near', label: 'Nearly used up' },
        { value: 'used_up', label: 'Used up' },
        { value: 'runs_out', label: 'Runs out this month' },
        { value: 'never_used', label: 'Never used' },
        { value: 'expires_soon', label: `Expires within ${SOON_DAYS} d` },
        { value: 'expired', label: 'Expired' },
      ],
      query: (value) => ASKED[value] ?? { state: value },
    },
  ],
  tabs: [
    {
      value: 'registered',
      label: 'In use',
      query: { status: 'registered' },
      empty: {
        icon: KeyRound,
        title: 'No API keys yet',
        text: (
          <>
            A key identifies a client by its <code className="font-mono text-xs">X-API-Key</code> header and gives it a
            monthly quota.
          </>
        ),
      },
    },
    { value: 'revoked', label: 'Revoked', query: { status: 'revoked' }, empty: { title: 'No key was revoked' } },
  ],
  refetchInterval: 15_000,
  columns: [
    {
      id: 'name',
      header: 'Name',
      cell: (key) => (
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <KeyLink id={key.id} className="max-w-56 truncate font-medium max-sm:max-w-full max-sm:whitespace-normal">
            {key.name}
          </KeyLink>
          <KeyStateBadge apiKey={key} />
          <ExpiryBadge apiKey={key} />
        </div>
      ),
      phone: 'title',
    },
    {
      id: 'prefix',
      header: 'Key',
      cell: ({ prefix, id, name }) => (
        <span className="group/copy inline-flex items-center gap-0.5 font-mono text-xs text-muted-foreground">
          {prefix}…
          <CopyButton
            value={id}
            label={`Copy id of ${name}`}
            className="opacity-0 group-hover/copy:opacity-100 focus-visible:opacity-100 [@media(hover:none)]:opacity-100"
          />
        </span>
      ),
      className: 'max-lg:hidden',
      phone: 'hidden',
    },
    { id: 'tier', header: 'Tier', cell: ({ tier }) => TIER_NAMES[tier], className: 'max-md:hidden' },
    { id: 'usage', header: 'Used this month', cell: (key) => <Usage {...key} />, phone: 'aside' },
    {
      id: 'remaining',
      header: 'Remaining',
      cell: ({ remaining }) => (remaining === null ? null : formatNumber(remaining)),
      className: 'max-xl:hidden text-right [&_button]:flex-row-reverse',
      phone: 'hidden',
    },
    {
      id: 'runs_out_at',
      header: 'Runs out',
      cell: (key) => <RunsOutDay apiKey={key} />,
      className: 'max-md:hidden',
      phoneLabel: 'Runs out:',
    },
    timeColumn('last_used_at', 'Last used', 'max-md:hidden'),
    timeColumn('created_at', 'Created', 'max-[88rem]:hidden', 'hidden'),
  ],
  rowId: ({ id }) => id,
  useSelection: useKeySelection,
  RowActions: ({ row }) => (
    <RowMenu name={row.name}>
      <ActionItems actions={KEY_ACTIONS} row={row} disabled={row.revoked_at !== null} />
    </RowMenu>
  ),
};

function Usage({ name, usage, limit }: ApiKeyWithUsage) {
  if (usage === null) return <span className="text-xs text-muted-foreground">unknown</span>;
  return (
    <div className="flex w-36 flex-col gap-1.5 max-sm:w-28">
      <div className="flex items-baseline justify-between gap-2 text-xs">
        <span className="font-medium">{formatNumber(usage)}</span>
        <span className="text-muted-foreground">
          <span className="sr-only">of </span>
          {formatNumber(limit)}
        </span>
      </div>
      <MeterBar label={`Quota of ${name}`} value={usage} max={limit} marked />
    </div>
  );
}

export const KeysPage = () => <ResourceList declaration={LIST} />;
