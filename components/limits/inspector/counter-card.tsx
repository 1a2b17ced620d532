import { RotateCcw, SlidersHorizontal } from 'lucide-react';
import { SlotBars } from '@/components/chart/slot-bars';
import { SourcedLimit } from '@/components/explanation/limit-source';
import { formatWindow } from '@/components/format/duration';
import { describeRelease } from '@/components/format/limit-span';
import { useNow } from '@/components/format/use-now';
import { RoleButton } from '@/components/shell/role-button';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { InspectedCounter } from '@/lib/contract/counters';
import { formatNumber } from '@/lib/format-number';

/** Counter of a class, or of all classes together. */
export type ClassCounter = InspectedCounter & { class: NonNullable<InspectedCounter['class']> };

interface CounterCardProps {
  counter: ClassCounter;
  /** True if an allowlist entry bypasses the limits. */
  bypassed: boolean;
  onReset: () => void;
  /** Present if the limit can be overridden. */
  onOverride?: () => void;
}

/** Shows one counter: its usage, the source of its limit, the 60 slots of its window, and when it is empty again. */
export function CounterCard({ counter, bypassed, onReset, onOverride }: CounterCardProps) {
  const now = useNow();
  const { limit, used, remaining, window_seconds, source } = counter;
  const name = counter.class === 'all' ? 'All classes' : CLASS_NAMES[counter.class];
  const window = formatWindow(window_seconds);
  const title = (
    <span className="flex items-center gap-2">
      {name}
      {remaining === 0 && !bypassed ? <Badge variant="destructive">refused</Badge> : null}
    </span>
  );
  const actions = (
    <span className="-mr-2 flex flex-wrap">
      <RoleButton needs="operator" variant="ghost" size="sm" onClick={onReset} aria-label={`Reset ${name}`}>
        <RotateCcw aria-hidden className="size-3.5" /> Reset
      </RoleButton>
      {onOverride ? (
        <RoleButton
          needs="operator"
          variant="ghost"
          size="sm"
          onClick={onOverride}
          aria-label={`Override limit of ${name}`}
        >
          <SlidersHorizontal aria-hidden className="size-3.5" /> Override limit
        </RoleButton>
      ) : null}
    </span>
  );
  return (
    <TitledCard title={title} aside={actions} className="flex flex-col gap-3">
      <div className="flex flex-col gap-0.5">
        <div className="flex items-baseline justify-between gap-2 tabular-nums">
          <p>
            <span className="text-xl font-semibold">{formatNumber(remaining)}</span>{' '}
            <span className="text-sm text-muted-foreground">remaining</span>
          </p>
          <p className="text-sm text-muted-foreground">
            {formatNumber(used)} of {formatNumber(limit)} in {window}
          </p>
        </div>
        <p className="text-xs break-words text-muted-foreground">
          <SourcedLimit limit={limit} source={source} />
        </p>
      </div>
      <MeterBar label={`${name} limit`} value={used} max={limit} />
      <SlotBars
        label={`${name}, hits in each of the 60 slots of the window`}
        slots={counter.slots.map((slot) => ({ at: Date.parse(slot.start), value: slot.hits }))}
      />
      <div className="flex justify-between text-xs text-muted-foreground tabular-nums">
        <span>{window} ago</span>
        <span>{describeRelease(counter, now)}</span>
        <span>now</span>
      </div>
    </TitledCard>
  );
}
