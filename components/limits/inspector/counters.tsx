import { Gauge, ShieldCheck } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { BypassSource, SourcedLimit } from '@/components/explanation/limit-source';
import { Timestamp } from '@/components/format/timestamp';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { type ClassCounter, CounterCard } from '@/components/limits/inspector/counter-card';
import { InspectedHead } from '@/components/limits/inspector/inspected-head';
import { LastRefusals } from '@/components/limits/inspector/last-refusals';
import { isTarget, type LimitedIdentity } from '@/components/links/target';
import { EmptyState } from '@/components/list/empty-state';
import { ListError } from '@/components/list/list-error';
import { NamedLimitCard } from '@/components/named-limits/named-limit-card';
import { groupByLimit } from '@/components/named-limits/named-meter';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { Skeleton } from '@/components/ui/skeleton';
import { type InspectedCounter, inspectCounters } from '@/lib/contract/counters';
import type { AnswerOf } from '@/lib/contract/operation';
import { formatNumber } from '@/lib/format-number';

const isOfClass = (counter: InspectedCounter): counter is ClassCounter => counter.class !== null;

/** Shows the live counters of a caller, each with the source of its limit. */
export function Counters({ target }: { target: LimitedIdentity }) {
  const actions = useSubjectActions();
  const counters = useCall(
    ['counters', target.type, target.identifier],
    inspectCounters,
    { query: { ...target } },
    { refetchInterval: 2_000 },
  );
  const { error, refetch } = counters;
  const data = counters.data?.value;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  const shown = data ? { ...target, identifier: data.identifier } : target;
  return (
    <section aria-label={`Counters of ${data?.name ?? shown.identifier}`} className="flex flex-col gap-4">
      <InspectedHead shown={shown} name={data?.name ?? null} queries={[counters]} />
      {data?.bypass ? (
        <p className="flex items-start gap-2.5 rounded-md bg-bypassed-soft px-3 py-2 text-sm text-bypassed-text">
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">
            Bypasses rate limiting, <BypassSource bypass={data.bypass} />. The limits below apply without it.
          </span>
        </p>
      ) : null}
      <div className="grid gap-4 md:grid-cols-2">
        {data
          ? data.counters.filter(isOfClass).map((counter) => {
              const only = counter.class === 'all' ? undefined : counter.class;
              return (
                <CounterCard
                  key={counter.class}
                  counter={counter}
                  bypassed={data.bypass !== null}
                  onReset={() => actions.reset(shown, { class: only })}
                  onOverride={isTarget(shown) && only ? () => actions.override(shown, only) : undefined}
                />
              );
            })
          : [0, 1, 2, 3].map((index) => <Skeleton key={index} className="h-48 rounded-lg" />)}
        {groupByLimit(data?.counters ?? []).map((counters) => (
          <NamedLimitCard
            key={counters[0].limit_name}
            counters={counters}
            bypassed={data?.bypass != null}
            onOverride={(limit_name) => actions.overrideSubject({ limit_name, identifier: shown.identifier })}
            onReset={(limit_name) => actions.reset({ type: 'subject', identifier: shown.identifier }, { limit_name })}
          />
        ))}
        {data?.quota ? <QuotaCard name={data.name ?? shown.identifier} quota={data.quota} /> : null}
      </div>
      {data?.counters.length === 0 ? (
        <EmptyState icon={Gauge} title="No named limit">
          A subject is counted by named limits only, and there are none.
        </EmptyState>
      ) : null}
      <LastRefusals target={shown} />
    </section>
  );
}

type InspectedQuota = NonNullable<AnswerOf<typeof inspectCounters>['quota']>;

function QuotaCard({ name, quota }: { name: string; quota: InspectedQuota }) {
  return (
    <TitledCard title="Monthly quota" className="flex flex-col gap-3">
      <div className="flex flex-col gap-0.5">
        <div className="flex items-baseline justify-between gap-2 tabular-nums">
          <p>
            <span className="text-xl font-semibold">{formatNumber(quota.remaining)}</span>{' '}
            <span className="text-sm text-muted-foreground">remaining</span>
          </p>
          <p className="text-sm text-muted-foreground">
            {formatNumber(quota.used)} of {formatNumber(quota.limit)}
          </p>
        </div>
        <p className="text-xs text-muted-foreground">
          <SourcedLimit limit={quota.limit} source={quota.source} />
          {quota.overage_allowed ? '; overage is allowed' : null}
        </p>
      </div>
      <MeterBar label={`Quota of ${name}`} value={quota.used} max={quota.limit} />
      {quota.used > 0 ? (
        <p className="text-xs text-muted-foreground">
          Resets <Timestamp at={quota.reset * 1000} />
        </p>
      ) : null}
    </TitledCard>
  );
}
