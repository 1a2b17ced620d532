'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ChevronDown } from 'lucide-react';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { AuditList, CHANGES } from '@/components/audit-log/audit-list';
import { call } from '@/components/call';
import { type KeyAction, KeyActionItems, KeyDialogs } from '@/components/keys/key-actions';
import { KeyDays } from '@/components/keys/key-days';
import { KeyDetails, KeyUsage } from '@/components/keys/key-facts';
import { KeyForecast } from '@/components/keys/key-forecast';
import { KeyStateBadge } from '@/components/keys/key-state';
import { ListError } from '@/components/list/list-error';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { DropdownMenu, DropdownMenuContent, DropdownMenuTrigger } from '@/components/ui/dropdown-menu';
import { Skeleton } from '@/components/ui/skeleton';
import { getApiKey } from '@/lib/contract/keys';

export function KeyPage({ id }: { id: string }) {
  const [action, setAction] = useState<KeyAction | null>(null);
  const [asked, setAsked] = useQueryState('do', parseAsStringLiteral(['tier'] as const));
  const operator = useMay('operator');
  const {
    data: answer,
    error,
    refetch,
  } = useQuery({
    queryKey: ['api-keys', id],
    queryFn: ({ signal }) => call(getApiKey, { params: { id }, signal }),
    refetchInterval: 15_000,
  });
  const key = answer?.value;
  const back = (
    <Link
      href="/keys"
      prefetch={false}
      className="inline-flex items-center gap-1 self-start rounded-xs text-sm text-muted-foreground hover:text-foreground"
    >
      <ArrowLeft aria-hidden className="size-4" /> Keys & quotas
    </Link>
  );
  if (error && !key) {
    return (
      <>
        {back}
        <ListError error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (!key) {
    return (
      <>
        {back}
        <Skeleton className="h-7 w-56" />
        <Skeleton className="h-32 rounded-lg" />
        <Skeleton className="h-44 rounded-lg" />
      </>
    );
  }
  // A link can ask for the dialog, as the command palette does.
  const open = action ?? (asked && operator && !key.revoked_at ? { kind: asked, apiKey: key } : null);
  const close = () => {
    setAction(null);
    void setAsked(null);
  };
  return (
    <>
      {back}
      <PageHeader
        title={
          <span className="flex items-center gap-2.5">
            {key.name} <KeyStateBadge apiKey={key} />
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
              <KeyActionItems apiKey={key} onAction={setAction} />
            </DropdownMenuContent>
          </DropdownMenu>
        }
      />
      <div className="grid gap-5 lg:grid-cols-2">
        <KeyUsage apiKey={key} />
        <KeyForecast id={id} />
      </div>
      <KeyDays id={id} />
      <KeyDetails apiKey={key} />
      <div className="flex flex-col gap-3">
        <h2 className="text-base font-semibold">Changes</h2>
        <AuditList declaration={CHANGES} query={{ target_type: 'api_key', target: id }} />
      </div>
      <KeyDialogs action={open} onClose={close} />
    </>
  );
}
