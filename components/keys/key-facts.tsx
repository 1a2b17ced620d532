import { CopyButton } from '@/components/format/copy-button';
import { formatNumber, formatShare } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier } from '@/components/identifier/identifier';
import { usedShare } from '@/components/keys/key-state';
import { ThresholdMarks, useThresholdEvents } from '@/components/keys/thresholds';
import { TIER_NAMES } from '@/components/keys/tiers';
import { DetailList } from '@/components/list/detail-list';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

export function KeyUsage({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const share = usedShare(apiKey);
  const thresholds = useThresholdEvents(apiKey.id).data ?? [];
  return (
    <Card>
      <CardHeader>
        <CardTitle>This month</CardTitle>
        <span className="text-sm text-muted-foreground">
          resets <RelativeTime at={apiKey.reset_at} />
        </span>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
        {apiKey.usage === null || share === null ? (
          <p className="text-sm text-muted-foreground">The counter store is down, so the usage is unknown.</p>
        ) : (
          <>
            <div className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
              <span className="text-2xl font-semibold tracking-[-0.02em]">{formatNumber(apiKey.usage)}</span>
              <span className="text-sm text-muted-foreground">
                of {formatNumber(apiKey.limit)} requests, {formatShare(share)}
              </span>
              <span className="ml-auto text-sm">{formatNumber(apiKey.remaining ?? 0)} remaining</span>
            </div>
            <MeterBar
              label={`Quota of ${apiKey.name}`}
              value={apiKey.usage}
              max={apiKey.limit}
              className="h-2"
              marked
            />
            <ThresholdMarks events={thresholds} />
          </>
        )}
      </CardContent>
    </Card>
  );
}

export function KeyDetails({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Details</CardTitle>
      </CardHeader>
      <CardContent>
        <DetailList details={details(apiKey)} />
      </CardContent>
    </Card>
  );
}

function details(apiKey: ApiKeyWithUsage) {
  return [
    {
      name: 'Id',
      value: (
        <span className="flex items-center gap-0.5">
          <span className="truncate font-mono text-xs">{apiKey.id}</span>
          <CopyButton value={apiKey.id} label="Copy key id" />
        </span>
      ),
    },
    { name: 'Secret starts with', value: <span className="font-mono text-xs">{apiKey.prefix}…</span> },
    { name: 'Tier', value: TIER_NAMES[apiKey.tier] },
    { name: 'Client', value: <span className="capitalize">{apiKey.client_type}</span> },
    {
      name: 'User',
      value: apiKey.user_id ? <Identifier target={{ type: 'user_id', identifier: apiKey.user_id }} /> : 'none',
    },
    { name: 'Overage', value: apiKey.overage_allowed ? 'served and counted' : 'refused' },
    { name: 'Expires', value: apiKey.expires_at ? <RelativeTime at={apiKey.expires_at} /> : 'never' },
    { name: 'Last used', value: apiKey.last_used_at ? <RelativeTime at={apiKey.last_used_at} /> : 'never' },
    { name: 'Created', value: <RelativeTime at={apiKey.created_at} /> },
    { name: 'Created by', value: apiKey.created_by },
    ...(apiKey.previous_secret_until
      ? [{ name: 'Old secret works until', value: <RelativeTime at={apiKey.previous_secret_until} /> }]
      : []),
  ];
}
