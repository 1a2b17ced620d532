import { LifeBuoy, ScanSearch, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { DecisionBadge } from '@/components/decisions/decision-badge';
import { DecisionWho } from '@/components/decisions/decision-who';
import { describeDecision, SOURCE_NAMES } from '@/components/decisions/decision-words';
import { type FilteredBy, FilterValue } from '@/components/decisions/filter-value';
import { CopyButton } from '@/components/format/copy-button';
import { formatDuration, formatWindow } from '@/components/format/duration';
import { Timestamp } from '@/components/format/timestamp';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { buildDecisionExplainHref } from '@/components/links/decisions-href';
import { buildHelpRequest } from '@/components/links/help-target';
import { buildInspectHref } from '@/components/links/target';
import { Drawer } from '@/components/shell/drawer';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { formatNumber } from '@/lib/format-number';

interface DecisionSheetProps {
  decision: LoggedDecision;
  onClose: () => void;
}

/**
 * Shows the full record of a decision. Values filter the list; links lead to help and to how Sluice would decide now.
 */
export default function DecisionSheet({ decision, onClose }: DecisionSheetProps) {
  const { help } = useSubjectActions();
  const helpRequest = buildHelpRequest(decision);
  return (
    <Drawer title={`Decision ${decision.id}`} onClose={onClose}>
      <div className="flex flex-col gap-2 pr-8">
        <DecisionBadge decision={decision} onFilter={onClose} />
        <h2 className="text-lg leading-snug">{describeDecision(decision)}</h2>
        <p className="text-sm text-muted-foreground">
          <Timestamp at={decision.at} seconds />
        </p>
        {decision.count > 1 ? (
          <p className="text-sm text-muted-foreground">
            This row stands for {formatNumber(decision.count)} decisions of the same second. It lacks what differs
            between them; its usage and waits are those of the first.
          </p>
        ) : null}
      </div>
      {helpRequest ? (
        <div className="flex flex-wrap gap-2">
          <Button variant={decision.outcome === 'refused' ? 'default' : 'outline'} onClick={() => help(helpRequest)}>
            <LifeBuoy aria-hidden /> Help
          </Button>
          <Button asChild variant="outline">
            <Link href={buildDecisionExplainHref(decision)}>
              <Waypoints aria-hidden /> Explain it now
            </Link>
          </Button>
          {helpRequest.type === 'client_id' ? null : (
            <Button asChild variant="outline">
              <Link
                href={
                  helpRequest.type === 'api_key'
                    ? `/keys/${helpRequest.identifier}`
                    : buildInspectHref({ type: helpRequest.type, identifier: helpRequest.identifier })
                }
              >
                <ScanSearch aria-hidden /> {helpRequest.type === 'api_key' ? 'Open key' : 'Inspect counters'}
              </Link>
            </Button>
          )}
        </div>
      ) : null}
      <DecisionFields decision={decision} onFilter={onClose} />
    </Drawer>
  );
}

function DecisionFields({ decision, onFilter }: { decision: LoggedDecision; onFilter: () => void }) {
  const { limit, window_seconds: window, used, cost, source, retry_after: retry, reset } = decision;
  const filter = (by: FilteredBy, value: string | null, words?: ReactNode) =>
    value === null ? null : (
      <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
        <FilterValue by={by} value={value} onFilter={onFilter} className="break-all">
          {words ?? <span className="font-mono text-xs">{value}</span>}
        </FilterValue>
        {words ? null : <CopyButton value={value} label={`Copy ${value}`} />}
      </span>
    );
  const inWindow = window === null ? '' : ` in ${formatWindow(window)}`;
  const fields: readonly [string, ReactNode][] = [
    ['Who', <DecisionWho key="who" decision={decision} onFilter={onFilter} />],
    ['Class', filter('class', decision.class, decision.class && CLASS_NAMES[decision.class])],
    ['Named limit', filter('limit_name', decision.limit_name)],
    ['Method', filter('method', decision.method)],
    ['Path', filter('path', decision.path)],
    ['Limit', limit === null ? null : `${formatNumber(limit)}${inWindow}`],
    ['Limit from', filter('source', source, source && (SOURCE_NAMES[source] ?? source))],
    ['Used before', used === null ? null : formatNumber(used)],
    ['Cost', cost === null ? null : formatNumber(cost)],
    ['Retry after', retry === null ? null : formatDuration(retry)],
    ['Fully reset', reset === null ? null : <Timestamp key="reset" at={reset * 1000} seconds />],
    ['Address', filter('ip', decision.ip)],
    ['User', filter('user_id', decision.user_id)],
    ['Key', filter('api_key_id', decision.api_key_id, decision.api_key_name)],
    ['Request id', filter('request_id', decision.request_id)],
  ];
  return (
    <dl className="divide-y border-t text-sm">
      {fields.map(([name, value]) =>
        value === null ? null : (
          <div key={name} className="grid min-h-9 grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-4 py-1">
            <dt className="text-muted-foreground">{name}</dt>
            <dd className="min-w-0 tabular-nums">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
