'use client';

import { KeyRound, Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { formatNumber } from '@/components/format/number';
import { type KeyAction, KeyActionItems, KeyDialogs } from '@/components/keys/key-actions';
import { KeyStateBadge } from '@/components/keys/key-state';
import { TIER_NAMES, tierOptions } from '@/components/keys/tiers';
import { actionsColumn, timeColumn } from '@/components/list/common-columns';
import type { Column } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import { ResourceList } from '@/components/list/resource-list';
import { type ListDefinition, useResourceList } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { MeterBar } from '@/components/ui/meter-bar';
import { type ApiKeyWithUsage, listApiKeys } from '@/lib/contract/keys';

const CreateKeyDialog = dynamic(
  () => import('@/components/keys/key-form-dialogs').then((file) => file.CreateKeyDialog),
  { ssr: false },
);

const LIST: ListDefinition<ApiKeyWithUsage> = {
  key: 'api-keys',
  contract: listApiKeys,
  label: 'API keys',
  search: { label: 'Search name, prefix or id' },
  sortings: ['name', 'prefix', 'tier', 'usage', 'remaining', 'last_used_at'],
  sort: 'name',
  facets: [
    { name: 'tier', label: 'Tier', options: tierOptions() },
    {
      name: 'state',
      label: 'State',
      options: [
        { value: 'active', label: 'Below 80 %' },
        { value: 'near', label: '80 % and more' },
        { value: 'used_up', label: 'Used up' },
        { value: 'expired', label: 'Expired' },
      ],
    },
  ],
  tabs: [
    { value: 'registered', label: 'In use', query: { status: 'registered' } },
    { value: 'revoked', label: 'Revoked', query: { status: 'revoked' } },
  ],
  refetchInterval: 15_000,
};

const COLUMNS: readonly Column<ApiKeyWithUsage>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (key) => (
      <div className="flex min-w-0 items-center gap-x-2 gap-y-0.5 max-sm:flex-col max-sm:items-start max-sm:py-1">
        <Link
          href={`/keys/${key.id}`}
          prefetch={false}
          className="max-w-56 truncate rounded-xs font-medium underline-offset-4 hover:underline max-sm:max-w-36"
        >
          {key.name}
        </Link>
        <KeyStateBadge apiKey={key} />
      </div>
    ),
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
  },
  { id: 'tier', header: 'Tier', cell: ({ tier }) => TIER_NAMES[tier], className: 'max-md:hidden' },
  { id: 'usage', header: 'Used this month', cell: (key) => <Usage {...key} /> },
  {
    id: 'remaining',
    header: 'Remaining',
    cell: ({ remaining }) => (remaining === null ? null : formatNumber(remaining)),
    className: 'max-xl:hidden text-right [&_button]:flex-row-reverse',
  },
  timeColumn('reset_at', 'Resets', 'max-lg:hidden'),
  timeColumn('last_used_at', 'Last used', 'max-md:hidden'),
];

function Usage({ name, usage, limit }: ApiKeyWithUsage) {
  if (usage === null) return <span className="text-xs text-muted-foreground">unknown at the moment</span>;
  return (
    <div className="flex w-44 flex-col gap-1.5 max-sm:w-28">
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

/** Every API key with what it used of its quota. */
export function KeysPage() {
  const list = useResourceList(LIST);
  const owner = useMay('owner');
  const [creating, setCreating] = useState(false);
  const [action, setAction] = useState<KeyAction | null>(null);
  const create = (
    <Button onClick={() => setCreating(true)} disabled={!owner}>
      <Plus aria-hidden /> New key
    </Button>
  );
  const menu = actionsColumn<ApiKeyWithUsage>(
    ({ name }) => name,
    (key) => <KeyActionItems apiKey={key} onAction={setAction} />,
  );
  return (
    <>
      <PageHeader
        title="Keys & quotas"
        description="API keys and what each has used of its monthly quota."
        needs="owner"
        actions={create}
      />
      <ResourceList
        list={list}
        columns={[...COLUMNS, menu]}
        rowId={({ id }) => id}
        noMatch="No key matches"
        empty={
          list.tab === 'revoked' ? (
            <EmptyState title="No key was revoked" />
          ) : (
            <EmptyState icon={KeyRound} title="No API keys yet" action={create}>
              A key identifies a client by its <code className="font-mono text-xs">X-API-Key</code> header and gives it
              a monthly quota.
            </EmptyState>
          )
        }
      >
        <ExportMenu href={list.download} />
      </ResourceList>
      {creating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
      <KeyDialogs action={action} onClose={() => setAction(null)} />
    </>
  );
}
