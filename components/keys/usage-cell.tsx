import { formatNumber } from '@/components/format/number';
import { MeterBar } from '@/components/ui/meter-bar';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** Used of allowed, as numbers and as a bar. */
export function UsageCell({ apiKey: { name, usage, limit } }: { apiKey: ApiKeyWithUsage }) {
  if (usage === null) return <span className="text-xs text-muted-foreground">not known at the moment</span>;
  return (
    <div className="flex w-44 flex-col gap-1.5 max-sm:w-28">
      <div className="flex items-baseline justify-between gap-2 text-xs">
        <span className="font-medium">{formatNumber(usage)}</span>
        <span className="text-muted-foreground">
          <span className="sr-only">of </span>
          {formatNumber(limit)}
        </span>
      </div>
      <MeterBar label={`Quota of ${name}`} value={usage} max={limit} marked />
    </div>
  );
}
