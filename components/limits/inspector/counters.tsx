import { RotateCcw, ShieldCheck, SlidersHorizontal } from 'lucide-react';
import { SlotBars } from '@/components/chart/slot-bars';
import { REASON_NAMES } from '@/components/decisions/decision-words';
import { CopyButton } from '@/components/format/copy-button';
import { formatDistance, formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { useNow } from '@/components/format/use-now';
import { useIdentifierActions } from '@/components/identifier/identifier';
import { Shortened } from '@/components/identifier/shortened';
import { TARGET_LABEL, type Target } from '@/components/identifier/target';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { ListError } from '@/components/list/list-error';
import { QueryCard } from '@/components/list/query-card';
import { ConnectionNote } from '@/components/shell/connection-note';
import { useMay } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { Skeleton } from '@/components/ui/skeleton';
import { useCall } from '@/components/use-call';
import { type InspectedCounter, inspectCounters } from '@/lib/contract/counters';
import { listDecisions } from '@/lib/contract/decisions';

export function Counters({ target }: { target: Target }) {
  const actions = useIdentifierActions();
  const may = useMay('operator');
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
    <section aria-label={`Counters of ${shown.identifier}`} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="flex min-w-0 items-center gap-1.5 text-base font-semibold">
          <Badge>{TARGET_LABEL[shown.type]}</Badge>
          <Shortened text={shown.identifier} className="font-mono" />
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
                onReset={
                  may ? () => actions.reset(shown, counter.class === 'all' ? undefined : counter.class) : undefined
                }
              />
            ))
          : [0, 1, 2, 3].map((index) => <Skeleton key={index} className="h-48 rounded-lg" />)}
      </div>
      <LastRefusals target={shown} />
    </section>
  );
}

function freeAgain(counter: InspectedCounter, now: number | null): string {
  if (counter.used === 0) return 'Not used';
  if (now === null) return '';
  return `All free ${formatDistance(counter.reset * 1000, now)}`;
}

/** One counter: use, the 60 slots of its window, and when all of it is free again. */
function CounterCard({ counter, onReset }: { counter: InspectedCounter; onReset?: () => void }) {
  const now = useNow();
  const name = counter.class === 'all' ? 'All classes' : CLASS_NAMES[counter.class];
  const title = (
    <span className="flex items-center gap-2">
      {name}
      {counter.remaining === 0 ? <Badge variant="destructive">refused</Badge> : null}
    </span>
  );
  const reset = (
    <Button variant="ghost" size="sm" disabled={!onReset} onClick={onReset} aria-label={`Reset ${name}`}>
      <RotateCcw aria-hidden className="size-3.5" /> Reset
    </Button>
  );
  return (
    <TitledCard title={title} aside={reset} className="flex flex-col gap-3">
      <div className="flex items-baseline justify-between gap-2 tabular-nums">
        <p>
          <span className="text-xl font-semibold">{formatNumber(counter.remaining)}</span>{' '}
          <span className="text-sm text-muted-foreground">remaining</span>
        </p>
        <p className="text-sm text-muted-foreground">
          {formatNumber(counter.used)} of {formatNumber(counter.limit)} in {formatWindow(counter.window_seconds)}
        </p>
      </div>
      <MeterBar label={`${name} limit`} value={counter.used} max={counter.limit} />
      <SlotBars
        label={`${name}, hits in each of the 60 slots of the window`}
        slots={counter.slots.map((slot) => ({ at: Date.parse(slot.start), value: slot.hits }))}
      />
      <div className="flex justify-between text-xs text-muted-foreground tabular-nums">
        <span>{formatWindow(counter.window_seconds)} ago</span>
        <span>{freeAgain(counter, now)}</span>
        <span>now</span>
      </div>
    </TitledCard>
  );
}

function LastRefusals({ target: { type, identifier } }: { target: Target }) {
  const refusals = useCall(
    ['decisions', 'last', type, identifier],
    listDecisions,
    { query: { type, identifier, outcome: 'refused', limit: '10' } },
    { refetchInterval: 5_000 },
  );
  return (
    <QueryCard
      title="Last refusals"
      more={{ href: `/decisions?${new URLSearchParams({ q: identifier, range: '7d' })}`, label: 'All decisions' }}
      query={refusals}
      empty={({ value }) => (value.length === 0 ? 'Not refused in the last 30 days.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col divide-y">
          {value.map((decision) => (
            <li key={decision.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-sm">
              <RelativeTime at={decision.at} className="w-20 shrink-0 text-xs text-muted-foreground" />
              <Badge variant="destructive">
                {decision.reason ? (REASON_NAMES[decision.reason] ?? decision.reason) : 'Refused'}
              </Badge>
              <span className="text-xs text-muted-foreground">{CLASS_NAMES[decision.class]}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-xs" title={decision.path ?? undefined}>
                <span className="text-muted-foreground">{decision.method}</span> {decision.path}
              </span>
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}
