import { formatShare } from '@/components/format/number';
import { buildDecisionsHref } from '@/components/links/decisions-href';
import { type Span, sumCounts } from '@/components/statistics/use-statistics';
import { Link } from '@/components/ui/link';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { OutcomeCounts, Statistics } from '@/lib/contract/statistics';
import { formatNumber } from '@/lib/format-number';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

/** Shows the share of refused requests per class. Each figure links to its refusals. */
export function ClassFigures({ statistics, span }: { statistics: Statistics | undefined; span: Span }) {
  return (
    <ul className="grid grid-cols-2 border-t sm:grid-cols-5">
      {ENDPOINT_CLASSES.map((name) => (
        <li key={name} className="border-border not-last:border-r max-sm:nth-[2n]:border-r-0 max-sm:nth-[n+3]:border-t">
          <Figure name={name} counts={statistics?.totals.classes[name]} span={span} />
        </li>
      ))}
    </ul>
  );
}

function Figure({ name, counts, span }: { name: EndpointClass; counts: OutcomeCounts | undefined; span: Span }) {
  const figure = (
    <>
      <span className="text-xs text-muted-foreground">{CLASS_NAMES[name]} refusals</span>
      <span className="mt-0.5 flex items-baseline gap-1.5 tabular-nums">
        <span className="text-lg font-semibold">{counts ? formatNumber(counts.refused) : '–'}</span>
        {counts && counts.refused > 0 ? (
          <span className="text-xs text-muted-foreground">
            {formatShare(counts.refused / sumCounts(counts))} of {formatNumber(sumCounts(counts))}
          </span>
        ) : null}
      </span>
    </>
  );
  if (!counts || counts.refused === 0) return <div className="flex flex-col px-4 py-3">{figure}</div>;
  return (
    <Link
      href={buildDecisionsHref({ range: span, outcome: 'refused', class: name })}
      className="flex flex-col px-4 py-3 transition-colors hover:bg-muted/50"
    >
      {figure}
    </Link>
  );
}
