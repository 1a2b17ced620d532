import { useCall } from '@/components/api/use-call';
import { RelativeTime } from '@/components/format/relative-time';
import { buildDecisionsHref } from '@/components/links/decisions-href';
import { QueryCard } from '@/components/list/query-card';
import { Badge } from '@/components/ui/badge';
import { nameClassOrLimit } from '@/components/vocabulary/class-names';
import { nameReason } from '@/components/vocabulary/reasons';
import { listDecisions } from '@/lib/contract/decisions';

const SHOWN = 6;

/** Lists the newest refusals of requests with this key, whichever limit refused them. */
export function KeyRefusals({ id }: { id: string }) {
  const refusals = useCall(
    ['decisions', 'key', id],
    listDecisions,
    { query: { api_key: id, outcome: 'refused', limit: String(SHOWN) } },
    { refetchInterval: 5_000 },
  );
  return (
    <QueryCard
      title="Refused"
      more={{ href: buildDecisionsHref({ range: '30d', outcome: 'refused', api_key_id: id }), label: 'All refusals' }}
      query={refusals}
      empty={({ value }) => (value.length === 0 ? 'No request with this key was refused in the last 30 days.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col divide-y">
          {value.map(({ id: decision, at, reason, class: endpointClass, limit_name, method, path, ip }) => (
            <li key={decision} className="flex flex-col gap-0.5 py-2 first:pt-0 last:pb-0">
              <div className="flex items-center justify-between gap-3">
                <Badge variant="destructive">{nameReason(reason, limit_name) ?? 'Refused'}</Badge>
                <RelativeTime at={at} className="text-xs text-muted-foreground" />
              </div>
              <p className="font-mono text-xs wrap-anywhere">
                <span className="text-muted-foreground">{method}</span>{' '}
                {path ?? nameClassOrLimit(endpointClass, limit_name)}
                {ip ? <span className="text-muted-foreground"> from {ip}</span> : null}
              </p>
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}
