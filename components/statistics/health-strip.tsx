import { CircleAlert, CircleCheck, History, TriangleAlert } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { formatDistance } from '@/components/format/duration';
import { formatClock } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useAtNow } from '@/components/format/use-now';
import { FailedPart } from '@/components/list/failed-part';
import { isOld } from '@/components/list/stale-note';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';
import { readOverview } from '@/lib/contract/statistics';
import { formatNumber } from '@/lib/format-number';
import { MINUTE } from '@/lib/units';

const LOOKS = {
  good: { icon: CircleCheck, mark: 'text-success', text: 'text-muted-foreground' },
  watch: { icon: TriangleAlert, mark: 'text-warning', text: 'text-warning-text' },
  old: { icon: History, mark: 'text-muted-foreground', text: 'text-muted-foreground' },
  bad: { icon: CircleAlert, mark: 'text-destructive', text: 'text-destructive-text' },
} as const;
type Tone = keyof typeof LOOKS;

function Part({ name, tone, text }: { name: string; tone: Tone; text: string }) {
  const { icon: Icon, ...look } = LOOKS[tone];
  return (
    <div className="flex min-w-0 items-center gap-2.5 rounded-lg border bg-card px-3.5 py-2.5">
      <Icon aria-hidden className={cn('size-4 shrink-0', look.mark)} />
      <div className="min-w-0">
        <p className="truncate text-sm font-medium">{name}</p>
        <p className={cn('text-xs text-pretty tabular-nums sm:truncate', look.text)} title={text}>
          {text}
        </p>
      </div>
    </div>
  );
}

interface StorePart {
  ok: boolean;
  latency_ms: number;
  kind: string;
  cluster?: true | undefined;
}

const BREAKER = {
  closed: 'closed, store in use',
  open: 'open, deciding without the store',
  'half-open': 'trying the store again',
} as const;

export function useHealth() {
  return useCall(['overview'], readOverview, {}, { refetchInterval: 5_000 });
}

export function HealthStrip({ health: query }: { health: ReturnType<typeof useHealth> }) {
  // Data from before the connection was lost does not describe the present.
  const age = useAtNow((now) => (isOld(query) ? formatDistance(query.dataUpdatedAt, now) : null));
  const { zone } = useTimeZone();
  const { data, error, refetch } = query;
  if (error && !data) {
    return (
      <section aria-label="Health" className="rounded-lg border bg-card px-4">
        <FailedPart error={error} onRetry={() => void refetch()} />
      </section>
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
  const { at, health, last_minute: minute } = data.value;
  const addAge = (tone: Tone, text: string) =>
    age === null ? { tone, text } : ({ tone: 'old', text: `${text}, ${age}` } as const);
  const formatLatency = ({ ok, latency_ms, kind, cluster }: StorePart) =>
    `${kind}${cluster ? ' cluster' : ''}, ${ok ? `${latency_ms.toFixed(1)} ms` : 'down'}`;
  return (
    <section aria-label="Health" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Part
        name="Database"
        {...addAge(health.database.ok && health.migrations.ok ? 'good' : 'bad', formatLatency(health.database))}
      />
      <Part
        name="Counter store"
        {...addAge(health.counter_store.ok ? 'good' : 'bad', formatLatency(health.counter_store))}
      />
      <Part
        name="Breaker"
        {...addAge(health.breaker.state === 'closed' ? 'good' : 'bad', BREAKER[health.breaker.state])}
      />
      <Part
        name={`Minute from ${formatClock(Date.parse(at) - MINUTE, zone)}`}
        {...addAge(
          minute.refused > 0.1 * (minute.allowed + minute.refused) ? 'watch' : 'good',
          `${formatNumber(minute.allowed)} allowed, ${formatNumber(minute.refused)} refused`,
        )}
      />
    </section>
  );
}
