'use client';

import { CopyButton } from '@/components/format/copy-button';
import { formatNumber, formatShare } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier } from '@/components/identifier/identifier';
import { usedShare } from '@/components/keys/key-state';
import { ThresholdMarks } from '@/components/keys/thresholds';
import { TIER_NAMES } from '@/components/keys/tiers';
import { useThresholdEvents } from '@/components/keys/use-threshold-events';
import { DetailList } from '@/components/list/detail-list';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** What a key used of its quota this month. */
export function KeyUsage({ row }: { row: ApiKeyWithUsage }) {
  const share = usedShare(row);
  const thresholds = useThresholdEvents(row.id).data ?? [];
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
            <MeterBar label={`Quota of ${row.name}`} value={row.usage} max={row.limit} className="h-2" marked />
            <ThresholdMarks events={thresholds} />
          </>
        )}
      </CardContent>
    </Card>
  );
}

/** What a key is. */
export function KeyDetails({ row }: { row: ApiKeyWithUsage }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Details</CardTitle>
      </CardHeader>
      <CardContent>
        <DetailList details={details(row)} />
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
