import { SlotBars } from '@/components/chart/slot-bars';
import { SourcedLimit } from '@/components/explanation/limit-source';
import { formatWindow } from '@/components/format/duration';
import { describeRelease, formatLimitSpan } from '@/components/format/limit-span';
import { useNow } from '@/components/format/use-now';
import { MeterBar } from '@/components/ui/meter-bar';
import type { InspectedCounter } from '@/lib/contract/counters';
import { formatNumber } from '@/lib/format-number';

type NamedCounter = InspectedCounter & { limit_name: string };
export type NamedCounters = readonly [NamedCounter, ...NamedCounter[]];

const isNamed = (counter: InspectedCounter): counter is NamedCounter => counter.limit_name !== undefined;

/** Groups the counters of named limits by limit: its windows, then its places. */
export function groupByLimit(counters: readonly InspectedCounter[]): NamedCounters[] {
  const groups = new Map<string, [NamedCounter, ...NamedCounter[]]>();
  for (const counter of counters.filter(isNamed)) {
    const group = groups.get(counter.limit_name);
    if (group === undefined) groups.set(counter.limit_name, [counter]);
    else group.push(counter);
  }
  return [...groups.values()];
}

/** Shows the usage of one window, or of the places in flight. */
export function NamedMeter({ counter }: { counter: NamedCounter }) {
  const now = useNow();
  const { limit_name: name, unit, limit, used, remaining, window_seconds: seconds, source, slots } = counter;
  const span = formatLimitSpan(counter);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-col gap-0.5">
        <div className="flex flex-wrap items-baseline justify-between gap-x-2 tabular-nums">
          <p>
            <span className="text-xl font-semibold">{formatNumber(remaining)}</span>{' '}
            <span className="text-sm text-muted-foreground">{counter.in_flight ? 'free' : 'remaining'}</span>
          </p>
          <p className="text-sm text-muted-foreground">
            {formatNumber(used)} of {formatNumber(limit)} {counter.in_flight ? '' : `${unit} `}
            {span}
          </p>
        </div>
        <p className="text-xs break-words text-muted-foreground">
          <SourcedLimit limit={limit} source={source} limitName={name} />
        </p>
      </div>
      <MeterBar label={`${name}, ${span}`} value={used} max={limit} />
      {slots.length === 0 ? (
        <p className="text-xs text-muted-foreground">{describeRelease(counter, now)}</p>
      ) : (
        <>
          <SlotBars
            label={`${name} ${span}, units in each of the 60 slots`}
            slots={slots.map((slot) => ({ at: Date.parse(slot.start), value: slot.hits }))}
          />
          <div className="flex justify-between text-xs text-muted-foreground tabular-nums">
            <span>{formatWindow(seconds)} ago</span>
            <span>{describeRelease(counter, now)}</span>
            <span>now</span>
          </div>
        </>
      )}
    </div>
  );
}
