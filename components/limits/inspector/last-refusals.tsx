import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import { REASON_NAMES } from '@/components/decisions/decision-words';
import { RelativeTime } from '@/components/format/relative-time';
import type { Target } from '@/components/identifier/target';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { QueryCard } from '@/components/list/query-card';
import { Badge } from '@/components/ui/badge';
import { listDecisions } from '@/lib/contract/decisions';

export function LastRefusals({ target: { type, identifier } }: { target: Target }) {
  const refusals = useQuery({
    queryKey: ['decisions', 'last', type, identifier],
    queryFn: ({ signal }) =>
      call(listDecisions, { query: { type, identifier, outcome: 'refused', limit: '10' }, signal }),
    refetchInterval: 5_000,
  });
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
