import { useCall } from '@/components/api/use-call';
import { DecisionMenu } from '@/components/decisions/decision-menu';
import { RelativeTime } from '@/components/format/relative-time';
import { buildCallerDecisionsHref } from '@/components/links/decisions-href';
import { isRange, type LimitedIdentity } from '@/components/links/target';
import { QueryCard } from '@/components/list/query-card';
import { Badge } from '@/components/ui/badge';
import { nameClassOrLimit } from '@/components/vocabulary/class-names';
import { nameReason } from '@/components/vocabulary/reasons';
import { listDecisions } from '@/lib/contract/decisions';

/** Lists the newest refusals of a caller. */
export function LastRefusals({ target: { type, identifier } }: { target: LimitedIdentity }) {
  const refusals = useCall(
    ['decisions', 'last', type, identifier],
    listDecisions,
    { query: { type, identifier, outcome: 'refused', limit: '10' } },
    { refetchInterval: 5_000 },
  );
  return (
    <QueryCard
      title="Last refusals"
      more={{ href: buildCallerDecisionsHref({ type, identifier }, '30d'), label: 'All decisions' }}
      query={refusals}
      empty={({ value }) => (value.length === 0 ? 'Not refused in the last 30 days.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col divide-y">
          {value.map((decision) => (
            <li key={decision.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 text-sm">
              <RelativeTime at={decision.at} className="w-20 shrink-0 text-xs text-muted-foreground" />
              <Badge variant="destructive">{nameReason(decision.reason, decision.limit_name) ?? 'Refused'}</Badge>
              <span className="text-xs text-muted-foreground">
                {nameClassOrLimit(decision.class, decision.limit_name)}
              </span>
              <span
                className="min-w-0 flex-1 truncate font-mono text-xs max-sm:order-last max-sm:basis-full"
                title={decision.path ?? undefined}
              >
                {isRange({ type, identifier }) ? `${decision.ip ?? decision.identifier} ` : null}
                <span className="text-muted-foreground">{decision.method}</span> {decision.path}
              </span>
              <span className="ml-auto">
                <DecisionMenu decision={decision} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}
