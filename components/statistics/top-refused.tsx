import { formatNumber } from '@/components/format/number';
import { SubjectName } from '@/components/keys/client-name';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { QueryCard } from '@/components/list/query-card';
import type { StatisticsQuery } from '@/components/statistics/use-statistics';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

/** The identifiers with the most refusals, each with its actions. */
export function TopRefused({ statistics }: { statistics: StatisticsQuery }) {
  const most = Math.max(1, ...(statistics.data?.value.top_refused.map((entry) => entry.refused) ?? []));
  return (
    <QueryCard
      title="Most refused"
      more={{ href: '/decisions', label: 'All decisions' }}
      query={statistics}
      empty={({ value }) => (value.top_refused.length === 0 ? 'No refusals in this time.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col gap-2.5">
          {value.top_refused.map((entry) => (
            <li key={`${entry.type} ${entry.identifier}`} className="flex flex-col gap-1">
              <div className="flex h-6 items-center justify-between gap-3">
                {entry.type === 'global' ? (
                  <span className="text-sm">Global throttle</span>
                ) : (
                  <SubjectName subject={entry.type} identifier={entry.identifier} />
                )}
                <span className="flex shrink-0 items-center gap-3 text-xs tabular-nums">
                  <span className="text-muted-foreground">
                    {ENDPOINT_CLASSES.filter((name) => entry.classes[name])
                      .map((name) => CLASS_NAMES[name])
                      .join(', ')}
                  </span>
                  <span className="font-medium">{formatNumber(entry.refused)}</span>
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
