import { findCaller } from '@/components/decisions/decision-who';
import { SubjectName } from '@/components/identifier/subject-name';
import { buildDecisionsHref } from '@/components/links/decisions-href';
import { QueryCard } from '@/components/list/query-card';
import type { Span, StatisticsQuery } from '@/components/statistics/use-statistics';
import { Link } from '@/components/ui/link';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { TopRefusedIdentifier } from '@/lib/contract/statistics';
import { formatNumber } from '@/lib/format-number';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const SHOWN = 8;

/** Links to the refusals of an identifier in the list of decisions. */
function buildRefusalsHref({ type, identifier, limit_name }: TopRefusedIdentifier, range: Span): string {
  const caller = findCaller({ subject: type, identifier });
  const filter = caller ? { [caller.by]: caller.value } : type === 'global' ? {} : { identifier };
  const ofLimit = limit_name === null ? {} : { limit_name };
  return buildDecisionsHref({ range, outcome: 'refused', subject: type, ...ofLimit, ...filter });
}

interface TopRefusedProps {
  statistics: StatisticsQuery;
  span: Span;
  /** Lists only the subjects of this named limit. */
  limit: string | null;
}

export function TopRefused({ statistics, span, limit }: TopRefusedProps) {
  const list = (entries: readonly TopRefusedIdentifier[]) =>
    entries.filter(({ limit_name }) => limit === null || limit_name === limit).slice(0, SHOWN);
  const most = Math.max(1, ...list(statistics.data?.value.top_refused ?? []).map((entry) => entry.refused));
  return (
    <QueryCard
      title={limit === null ? 'Most refused' : `Most refused by ${limit}`}
      more={{
        href: buildDecisionsHref({ range: span, outcome: 'refused', ...(limit === null ? {} : { limit_name: limit }) }),
        label: 'All refusals',
      }}
      query={statistics}
      empty={({ value }) => (list(value.top_refused).length === 0 ? 'No refusals in this period.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col gap-2.5">
          {list(value.top_refused).map((entry) => (
            <li key={`${entry.type} ${entry.limit_name ?? ''} ${entry.identifier}`} className="flex flex-col gap-1">
              <div className="flex h-6 items-center justify-between gap-3">
                {entry.type === 'global' ? (
                  <span className="text-sm">Global throttle</span>
                ) : (
                  <SubjectName subject={entry.type} identifier={entry.identifier} name={entry.api_key_name} />
                )}
                <span className="flex shrink-0 items-center gap-3 text-xs tabular-nums">
                  <span className="text-muted-foreground">
                    {entry.limit_name === null ? null : <span className="font-mono">{entry.limit_name} </span>}
                    {ENDPOINT_CLASSES.filter((name) => entry.classes[name])
                      .map((name) => CLASS_NAMES[name])
                      .join(', ')}
                  </span>
                  <Link
                    href={buildRefusalsHref(entry, span)}
                    title="Show these refusals"
                    className="rounded-xs font-medium underline-offset-4 hover:underline"
                  >
                    {formatNumber(entry.refused)}
                  </Link>
                </span>
              </div>
              <div
                aria-hidden
                className="h-1 rounded-full bg-chart-ip/70"
                style={{ width: `${(entry.refused / most) * 100}%` }}
              />
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}
