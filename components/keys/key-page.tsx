'use client';

import { ArrowLeft, ChevronDown } from 'lucide-react';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { CHANGES } from '@/components/audit-log/audit-list';
import { HistoryLink } from '@/components/audit-log/history-link';
import { KEY_DIALOGS, KeyActionItems } from '@/components/keys/key-actions';
import { KeyDays, KeyDetails, KeyForecast, KeyUsage } from '@/components/keys/key-cards';
import { KeyStateBadge } from '@/components/keys/key-state';
import { ListError } from '@/components/list/list-error';
import { ResourceList } from '@/components/list/resource-list';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Menu } from '@/components/ui/dropdown-menu';
import { Skeleton } from '@/components/ui/skeleton';
import { useCall } from '@/components/use-call';
import { getApiKey } from '@/lib/contract/keys';

export function KeyPage({ id }: { id: string }) {
  // A link can ask for the dialog, as the command palette does.
  const [asked, setAsked] = useQueryState('do', parseAsStringLiteral(['tier'] as const));
  const operator = useMay('operator');
  const { data, error, refetch } = useCall(
    ['api-keys', id],
    getApiKey,
    { params: { id } },
    { refetchInterval: 15_000 },
  );
  const key = data?.value;
  const back = (
    <Link
      href="/keys"
      prefetch={false}
      className="inline-flex items-center gap-1 self-start rounded-xs text-sm text-muted-foreground hover:text-foreground"
    >
      <ArrowLeft aria-hidden className="size-4" /> Keys & quotas
    </Link>
  );
  if (!key) {
    return (
      <>
        {back}
        {error ? (
          <ListError error={error} onRetry={() => void refetch()} />
        ) : (
          <>
            <Skeleton className="h-7 w-56" />
            <Skeleton className="h-32 rounded-lg" />
            <Skeleton className="h-44 rounded-lg" />
          </>
        )}
      </>
    );
  }
  const title = (
    <span className="flex items-center gap-2.5">
      {key.name} <KeyStateBadge apiKey={key} />
    </span>
  );
  const trigger = (
    <Button variant="outline">
      Actions <ChevronDown aria-hidden />
    </Button>
  );
  const actions = (
    <Menu trigger={trigger} align="end">
      <KeyActionItems apiKey={key} />
    </Menu>
  );
  return (
    <>
      {back}
      <PageHeader title={title} actions={actions} />
      <div className="grid gap-5 lg:grid-cols-2">
        <KeyUsage apiKey={key} />
        <KeyForecast id={id} />
      </div>
      <KeyDays id={id} />
      <KeyDetails apiKey={key} />
      <div className="flex flex-col gap-3">
        <div className="flex items-center justify-between gap-3">
          <h2 className="text-base font-semibold">Changes</h2>
          <HistoryLink target={id} />
        </div>
        <ResourceList declaration={CHANGES} query={{ target_type: 'api_key', target: id }} />
      </div>
      {asked && operator && !key.revoked_at ? (
        <KEY_DIALOGS.tier apiKey={key} onClose={() => void setAsked(null)} />
      ) : null}
    </>
  );
}
