import type { Series } from '@/components/chart/series';
import { Link } from '@/components/ui/link';
import { formatNumber } from '@/lib/format-number';

interface ChartLegendProps {
  entries: readonly (Series & { total: number })[];
  /** Link of an entry. Null if it has none. */
  createHref?: (key: string) => string | null;
  /** Time zone of the time axis. */
  zone: string;
  /** Length of a bar: `minute`. */
  unit: string;
}

/** Lists the series of a chart with their totals and links, and the time zone of the axis. */
export function ChartLegend({ entries, createHref, zone, unit }: ChartLegendProps) {
  return (
    <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {entries.map((entry) => {
        const href = createHref?.(entry.key) ?? null;
        return href === null ? (
          <span key={entry.key} className="inline-flex h-6 items-center gap-1.5">
            <EntryText entry={entry} />
          </span>
        ) : (
          <Link
            key={entry.key}
            href={href}
            className="inline-flex h-6 items-center gap-1.5 rounded-xs underline-offset-4 hover:underline"
          >
            <EntryText entry={entry} />
          </Link>
        );
      })}
      <span className="ml-auto inline-flex h-6 items-center text-muted-foreground">
        Per {unit}, times in {zone}
      </span>
    </figcaption>
  );
}

function EntryText({ entry: { name, color, total } }: { entry: ChartLegendProps['entries'][number] }) {
  return (
    <>
      <span aria-hidden className="size-2 rounded-xs" style={{ background: color }} />
      <span className="text-muted-foreground">{name}</span>
      <span className="tabular-nums">{formatNumber(total)}</span>
    </>
  );
}
