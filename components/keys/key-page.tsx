'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ChevronDown } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { formatNumber, formatShare } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier } from '@/components/identifier/identifier';
import { KeyActionItems } from '@/components/keys/key-action-items';
import { type KeyAction, KeyDialogs } from '@/components/keys/key-dialogs';
import { usedShare } from '@/components/keys/key-row';
import { KeyStateBadge } from '@/components/keys/key-state-badge';
import { keysKey, readKey } from '@/components/keys/keys-api';
import { TIER_NAMES } from '@/components/keys/tiers';
import { DetailList } from '@/components/list/detail-list';
import { ListError } from '@/components/list/list-error';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { DropdownMenu, DropdownMenuContent, DropdownMenuTrigger } from '@/components/ui/dropdown-menu';
import { MeterBar } from '@/components/ui/meter-bar';
import { Skeleton } from '@/components/ui/skeleton';
import type { ApiKeyWithUsage } from '@/lib/schemas/api-key';

function Usage({ row }: { row: ApiKeyWithUsage }) {
  const share = usedShare(row);
  return (
    <Card>
      <CardHeader>
        <CardTitle>This month</CardTitle>
        <span className="text-sm text-muted-foreground">
          resets <RelativeTime at={row.reset_at} />
        </span>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
        {row.usage === null || share === null ? (
          <p className="text-sm text-muted-foreground">The counters are out of reach, so the usage is not known.</p>
        ) : (
          <>
            <div className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
              <span className="text-2xl font-semibold tracking-[-0.02em]">{formatNumber(row.usage)}</span>
              <span className="text-sm text-muted-foreground">
                of {formatNumber(row.limit)} requests, {formatShare(share)}
              </span>
              <span className="ml-auto text-sm">{formatNumber(row.remaining ?? 0)} remaining</span>
            </div>
            <MeterBar label={`Quota of ${row.name}`} value={row.usage} max={row.limit} className="h-2" />
          </>
        )}
      </CardContent>
    </Card>
  );
}

function details(row: ApiKeyWithUsage) {
  return [
    {
      name: 'Id',
      value: (
        <span className="flex items-center gap-0.5">
          <span className="truncate font-mono text-xs">{row.id}</span>
          <CopyButton value={row.id} label="Copy key id" />
        </span>
      ),
    },
    { name: 'Secret starts with', value: <span className="font-mono text-xs">{row.prefix}…</span> },
    { name: 'Tier', value: TIER_NAMES[row.tier] },
    { name: 'Client', value: <span className="capitalize">{row.client_type}</span> },
    {
      name: 'User',
      value: row.user_id ? <Identifier target={{ type: 'user_id', identifier: row.user_id }} /> : 'none',
    },
    { name: 'Overage', value: row.overage_allowed ? 'served and counted' : 'refused' },
    { name: 'Expires', value: row.expires_at ? <RelativeTime at={row.expires_at} /> : 'never' },
    { name: 'Last used', value: row.last_used_at ? <RelativeTime at={row.last_used_at} /> : 'never' },
    { name: 'Created', value: <RelativeTime at={row.created_at} /> },
    { name: 'Created by', value: row.created_by },
    ...(row.previous_secret_until
      ? [{ name: 'Old secret works until', value: <RelativeTime at={row.previous_secret_until} /> }]
      : []),
  ];
}

/** One key: what it used, what it is, and what can be done with it. */
export function KeyPage({ id }: { id: string }) {
  const [action, setAction] = useState<KeyAction | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: [...keysKey, id],
    queryFn: ({ signal }) => readKey(id, signal),
    refetchInterval: 15_000,
  });
  const back = (
    <Link
      href="/keys"
      prefetch={false}
      className="inline-flex items-center gap-1 self-start rounded-xs text-sm text-muted-foreground hover:text-foreground"
    >
      <ArrowLeft aria-hidden className="size-4" /> Keys & quotas
    </Link>
  );
  if (error && !data) {
    return (
      <>
        {back}
        <ListError error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (!data) {
    return (
      <>
        {back}
        <Skeleton className="h-7 w-56" />
        <Skeleton className="h-32 rounded-lg" />
        <Skeleton className="h-44 rounded-lg" />
      </>
    );
  }
  return (
    <>
      {back}
      <PageHeader
        title={
          <span className="flex items-center gap-2.5">
            {data.name} <KeyStateBadge row={data} />
          </span>
        }
        actions={
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <Button variant="outline">
                Actions <ChevronDown aria-hidden />
              </Button>
            </DropdownMenuTrigger>
            <DropdownMenuContent align="end">
              <KeyActionItems row={data} onAction={setAction} />
            </DropdownMenuContent>
          </DropdownMenu>
        }
      />
      <Usage row={data} />
      <Card>
        <CardHeader>
          <CardTitle>Details</CardTitle>
        </CardHeader>
        <CardContent>
          <DetailList details={details(data)} />
        </CardContent>
      </Card>
      <KeyDialogs action={action} onClose={() => setAction(null)} />
    </>
  );
}
