'use client';

import { useQuery } from '@tanstack/react-query';
import { RotateCcw, ScanSearch, ShieldCheck, SlidersHorizontal } from 'lucide-react';
import dynamic from 'next/dynamic';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { call } from '@/components/call';
import { CopyButton } from '@/components/format/copy-button';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { TARGET_LABEL, type Target } from '@/components/identifier/target';
import { CounterCard } from '@/components/limits/inspector/counter-card';
import { InspectForm } from '@/components/limits/inspector/inspect-form';
import { LastRefusals } from '@/components/limits/inspector/last-refusals';
import { EmptyState } from '@/components/list/empty-state';
import { ListError } from '@/components/list/list-error';
import { ConnectionNote } from '@/components/shell/connection-note';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { inspectCounters } from '@/lib/contract/counters';
import type { EndpointClass } from '@/lib/limiter/meter';

const ResetDialog = dynamic(
  () => import('@/components/limits/inspector/reset-dialog').then((file) => file.ResetDialog),
  {
    ssr: false,
  },
);

const ADDRESS = {
  type: parseAsStringLiteral(['ip', 'user_id'] as const).withDefault('ip'),
  identifier: parseAsString.withDefault(''),
};

/** The live counters of the address or user named in the URL. */
export function InspectorPage() {
  const [target, setTarget] = useQueryStates(ADDRESS, { history: 'push' });
  return (
    <>
      <PageHeader title="Inspector" description="How much of each limit an address or user has used right now." />
      <InspectForm
        key={`${target.type} ${target.identifier}`}
        initial={target}
        onSubmit={(next) => void setTarget(next)}
      />
      {target.identifier === '' ? (
        <EmptyState icon={ScanSearch} title="Choose an address or user">
          Enter an address or a user id above, or choose “Inspect counters” in any menu.
        </EmptyState>
      ) : (
        <Counters target={target} />
      )}
    </>
  );
}

function Counters({ target }: { target: Target }) {
  const actions = useIdentifierActions();
  const may = useMay('operator');
  const [only, setOnly] = useState<EndpointClass | null>(null);
  const counters = useQuery({
    queryKey: ['counters', target.type, target.identifier],
    queryFn: async ({ signal }) => (await call(inspectCounters, { query: { ...target }, signal })).value,
    refetchInterval: 2_000,
  });
  const { data, error, refetch } = counters;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  const shown = data ? { type: data.type, identifier: data.identifier } : target;
  return (
    <section aria-label={`Counters of ${shown.identifier}`} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="flex min-w-0 items-center gap-1.5 text-base font-semibold">
          <Badge>{TARGET_LABEL[shown.type]}</Badge>
          <span className="truncate font-mono">{shown.identifier}</span>
          <CopyButton value={shown.identifier} label="Copy identifier" />
        </h2>
        {data?.allowlisted ? <Badge variant="success">bypasses rate limiting</Badge> : null}
        <ConnectionNote queries={[counters]} />
        <div className="ml-auto flex flex-wrap gap-2">
          <Button variant="outline" disabled={!may} onClick={() => actions.allowlist(shown)}>
            <ShieldCheck aria-hidden /> Allowlist
          </Button>
          <Button variant="outline" disabled={!may} onClick={() => actions.override(shown)}>
            <SlidersHorizontal aria-hidden /> Override limit
          </Button>
          <Button variant="outline" disabled={!may} onClick={() => actions.reset(shown)}>
            <RotateCcw aria-hidden /> Reset all
          </Button>
        </div>
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        {data
          ? data.counters.map((counter) => (
              <CounterCard
                key={counter.class}
                counter={counter}
                onReset={may ? () => setOnly(counter.class) : undefined}
              />
            ))
          : [0, 1, 2, 3].map((index) => <Skeleton key={index} className="h-48 rounded-lg" />)}
      </div>
      <LastRefusals target={shown} />
      {only ? <ResetDialog target={shown} only={only} onClose={() => setOnly(null)} /> : null}
    </section>
  );
}
