import Link from 'next/link';
import { REASON_NAMES } from '@/components/decisions/decision-words';
import { RelativeTime } from '@/components/format/relative-time';
import type { HelpRequest } from '@/components/help/help-target';
import { inspectHref } from '@/components/identifier/target';
import { ClientName } from '@/components/keys/client-name';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { QueryCard } from '@/components/list/query-card';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog, SheetContent } from '@/components/ui/dialog';
import { useCall } from '@/components/use-call';
import { listDecisions } from '@/lib/contract/decisions';

const NAMES = { ip: 'IP', user_id: 'User', api_key: 'Key', client_id: 'Client' } as const;

/** Why somebody is refused, and what helps. */
export default function HelpDrawer({ request, onClose }: { request: HelpRequest; onClose: () => void }) {
  const { type, identifier } = request;
  const query =
    type === 'api_key'
      ? { api_key: identifier }
      : type === 'client_id'
        ? { subject: 'client' as const }
        : { type, identifier };
  const refusals = useCall(['decisions', 'help', type, identifier], listDecisions, {
    query: { ...query, outcome: 'refused', limit: '10' },
  });
  const href = type === 'ip' || type === 'user_id' ? inspectHref({ type, identifier }) : `/keys/${identifier}`;
  return (
    <Dialog open onOpenChange={onClose}>
      <SheetContent side="right" title={`Help ${identifier}`} className="w-lg max-w-full overflow-y-auto bg-popover">
        <div className="flex flex-col gap-5 p-5">
          <h2 className="flex min-w-0 items-center gap-2 pr-8 text-lg font-semibold">
            <Badge>{NAMES[type]}</Badge>
            {type === 'api_key' ? <ClientName id={identifier} /> : <span className="truncate">{identifier}</span>}
          </h2>
          <QueryCard
            title="Last refusals"
            query={refusals}
            empty={({ value }) => (value.length === 0 ? 'Not refused in the last 30 days.' : null)}
          >
            {({ value }) => (
              <ul className="flex flex-col divide-y">
                {value.map((decision) => (
                  <li key={decision.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-sm">
                    <RelativeTime at={decision.at} className="text-xs text-muted-foreground" />
                    <Badge variant="destructive">{REASON_NAMES[decision.reason ?? ''] ?? 'Refused'}</Badge>
                    <span className="text-xs text-muted-foreground">{CLASS_NAMES[decision.class]}</span>
                  </li>
                ))}
              </ul>
            )}
          </QueryCard>
          {type === 'client_id' ? null : (
            <Button asChild variant="outline">
              <Link href={href} prefetch={false}>
                {type === 'api_key' ? 'Open key' : 'Inspect counters'}
              </Link>
            </Button>
          )}
        </div>
      </SheetContent>
    </Dialog>
  );
}
