import { RotateCcw } from 'lucide-react';
import { SlotBars } from '@/components/chart/slot-bars';
import { formatDistance, formatDuration, formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { useNow } from '@/components/format/use-now';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import type { InspectedCounter } from '@/lib/contract/counters';

function freeAgain(counter: InspectedCounter, now: number | null): string {
  if (counter.used === 0) return 'Not used';
  if (now === null) return '';
  return `All free ${formatDistance(counter.reset * 1000, now)}`;
}

/** One counter: use, the 60 slots of its window, and when all of it is free again. */
export function CounterCard({ counter, onReset }: { counter: InspectedCounter; onReset?: () => void }) {
  const now = useNow();
  const name = CLASS_NAMES[counter.class];
  return (
    <Card>
      <CardHeader>
        <CardTitle className="flex items-center gap-2">
          {name}
          {counter.remaining === 0 ? <Badge variant="destructive">refused</Badge> : null}
        </CardTitle>
        <Button variant="ghost" size="sm" disabled={!onReset} onClick={onReset} aria-label={`Reset ${name}`}>
          <RotateCcw aria-hidden className="size-3.5" /> Reset
        </Button>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
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
          <span>{formatDuration(counter.window_seconds)} ago</span>
          <span>{freeAgain(counter, now)}</span>
          <span>now</span>
        </div>
      </CardContent>
    </Card>
  );
}
