import { formatWindow } from '@/components/format/duration';
import { Timestamp } from '@/components/format/timestamp';
import { HelpButton } from '@/components/identifier/help-button';
import { buildHelpRequest } from '@/components/links/help-target';
import { Badge } from '@/components/ui/badge';
import { nameClassOrLimit } from '@/components/vocabulary/class-names';
import { nameReason } from '@/components/vocabulary/reasons';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { formatNumber } from '@/lib/format-number';

/** Shows what was decided for a request at the time. */
export function RecordedDecision({ decision }: { decision: LoggedDecision }) {
  const { at, outcome, reason, limit, used, window_seconds, cost, retry_after } = decision;
  const helpRequest = buildHelpRequest(decision);
  const measured =
    limit === null || used === null
      ? null
      : `${formatNumber(used)} of ${formatNumber(limit)}${window_seconds === null ? '' : ` in ${formatWindow(window_seconds)}`}`;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg border bg-card px-4 py-3 text-sm">
      <Badge variant={outcome === 'refused' ? 'destructive' : 'neutral'}>
        {nameReason(reason, decision.limit_name) ?? outcome}
      </Badge>
      <p className="min-w-0 flex-1 tabular-nums">
        {nameClassOrLimit(decision.class, decision.limit_name)}, <Timestamp at={at} seconds />
        {measured ? `: ${measured}` : null}
        {cost !== null && cost > 1 ? `, cost ${cost}` : null}
        {retry_after === null ? null : `, retry after ${retry_after} s`}
      </p>
      {helpRequest ? (
        <HelpButton request={helpRequest} name={decision.api_key_name ?? helpRequest.identifier} label="Help" />
      ) : null}
    </div>
  );
}
