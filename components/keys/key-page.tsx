'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ChevronDown } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { AuditList } from '@/components/audit-log/audit-list';
import { KeyActionItems } from '@/components/keys/key-action-items';
import { KeyDays } from '@/components/keys/key-days';
import type { KeyAction } from '@/components/keys/key-dialogs';
import { KeyDetails, KeyUsage } from '@/components/keys/key-facts';
import { KeyForecast } from '@/components/keys/key-forecast';
import { KeyStateBadge } from '@/components/keys/key-state-badge';
import { keysKey, readKey } from '@/components/keys/keys-api';
import { ListError } from '@/components/list/list-error';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { DropdownMenu, DropdownMenuContent, DropdownMenuTrigger } from '@/components/ui/dropdown-menu';
import { Skeleton } from '@/components/ui/skeleton';

const KeyDialogs = dynamic(() => import('@/components/keys/key-dialogs').then((file) => file.KeyDialogs), {
  ssr: false,
});

/** One key: what it used, what it is, and what can be done with it. */
export function KeyPage({ id }: { id: string }) {
  const [action, setAction] = useState<KeyAction | null>(null);
  const [asked, setAsked] = useQueryState('do', parseAsStringLiteral(['tier'] as const));
  const operator = useMay('operator');
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
  // A link can ask for the dialog, as the command palette does.
  const open = action ?? (asked && operator && !data.revoked_at ? { kind: asked, row: data } : null);
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
      <div className="grid gap-5 lg:grid-cols-2">
        <KeyUsage row={data} />
        <KeyForecast id={id} />
      </div>
      <KeyDays id={id} />
      <KeyDetails row={data} />
      <div className="flex flex-col gap-3">
        <h2 className="text-base font-semibold">Changes</h2>
        <AuditList query={{ target_type: 'api_key', target: id }} />
      </div>
      {open ? <KeyDialogs action={open} onClose={close} /> : null}
    </>
  );
}
