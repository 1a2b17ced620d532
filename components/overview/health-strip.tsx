'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { callApi } from '@/components/api-client';
import { explainError } from '@/components/explain-error';
import { formatNumber } from '@/components/format/number';
import { Alert } from '@/components/ui/alert';
import { Skeleton } from '@/components/ui/skeleton';
import { OverviewSchema } from '@/lib/schemas/statistics';

function Part({ name, ok, text }: { name: string; ok: boolean; text: string }) {
  const Icon = ok ? CircleCheck : CircleAlert;
  return (
    <div className="flex min-w-0 items-center gap-2.5 rounded-lg border bg-card px-3.5 py-2.5">
      <Icon aria-hidden className={ok ? 'size-4 shrink-0 text-success' : 'size-4 shrink-0 text-destructive'} />
      <div className="min-w-0">
        <p className="truncate text-sm font-medium">{name}</p>
        <p
          className={
            ok ? 'truncate text-xs text-muted-foreground tabular-nums' : 'truncate text-xs text-destructive-text'
          }
        >
          {text}
        </p>
      </div>
    </div>
  );
}

const BREAKER = {
  closed: 'closed, store in use',
  open: 'open, deciding without the store',
  'half-open': 'trying the store again',
} as const;

/** Health at a glance: database, counter store, breaker, and the last minute. */
export function HealthStrip() {
  const { data, error } = useQuery({
    queryKey: ['overview'],
    queryFn: async ({ signal }) => (await callApi('/v1/admin/overview', { schema: OverviewSchema, signal })).value,
    refetchInterval: 5_000,
  });
  if (error && !data) {
    const { title, text } = explainError(error);
    return (
      <Alert variant="destructive" title={title}>
        {text}
      </Alert>
    );
  }
  if (!data) {
    return (
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {[0, 1, 2, 3].map((index) => (
          <Skeleton key={index} className="h-15 rounded-lg" />
        ))}
      </div>
    );
  }
  const { health, last_minute: minute } = data;
  const latency = (part: { ok: boolean; latency_ms: number; kind: string }) =>
    part.ok ? `${part.kind}, ${part.latency_ms.toFixed(1)} ms` : `${part.kind}, out of reach`;
  return (
    <section aria-label="Health" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Part name="Database" ok={health.database.ok && health.migrations.ok} text={latency(health.database)} />
      <Part name="Counter store" ok={health.counter_store.ok} text={latency(health.counter_store)} />
      <Part name="Breaker" ok={health.breaker.state === 'closed'} text={BREAKER[health.breaker.state]} />
      <Part
        name="Last minute"
        ok={minute.refused === 0 || minute.allowed >= minute.refused}
        text={`${formatNumber(minute.allowed)} allowed, ${formatNumber(minute.refused)} refused`}
      />
    </section>
  );
}
