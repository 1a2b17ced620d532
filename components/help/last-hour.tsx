import { useCall } from '@/components/api/use-call';
import { SlotBars } from '@/components/chart/slot-bars';
import { formatClock } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { computeHour } from '@/components/help/compute-hour';
import { MOST } from '@/components/help/use-help-facts';
import { buildCallerDecisionsHref } from '@/components/links/decisions-href';
import type { HelpRequest } from '@/components/links/help-target';
import type { LimitedIdentity } from '@/components/links/target';
import { Link } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import { nameClassOrLimit } from '@/components/vocabulary/class-names';
import { readActivity } from '@/lib/contract/activity';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { formatNumber } from '@/lib/format-number';

/** Reads a caller's counts by minute. OAuth clients and subjects of named limits have no counts. */
function useActivity({ type, identifier }: LimitedIdentity) {
  const counted = type === 'client_id' || type === 'subject' ? null : type;
  return useCall(
    ['activity', type, identifier],
    readActivity,
    { query: { type: counted ?? 'user_id', identifier } },
    { enabled: counted !== null, refetchInterval: 15_000 },
  );
}

interface LastHourProps {
  request: HelpRequest;
  refusals: readonly LoggedDecision[];
  /** True if the caller bypasses rate limits now; bypassed requests are not counted by caller. */
  bypassed: boolean;
}

/** Shows a caller's requests of the last hour, allowed and refused, by minute and class. */
export function LastHour({ request, refusals, bypassed }: LastHourProps) {
  const now = useNow();
  const { zone } = useTimeZone();
  const { data, isLoading } = useActivity(request);
  if (now === null) return null;
  const activity = data?.value ?? null;
  const hour = computeHour({ activity, refusals, cut: refusals.length >= MOST, now });
  const atLeast = hour.atLeast ? 'at least ' : '';
  const nothing = hour.refused === 0 && !hour.allowed;
  return (
    <section aria-labelledby="help-last-hour" className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h3 id="help-last-hour" className="text-sm font-semibold">
          Last hour
        </h3>
        <Link
          href={buildCallerDecisionsHref(request, '24h')}
          className="rounded-xs text-xs text-primary underline-offset-4 hover:underline"
        >
          All refusals and bypasses
        </Link>
      </div>
      {isLoading ? <Skeleton className="h-20" /> : null}
      {!isLoading && nothing ? (
        <p className="text-sm text-muted-foreground">
          {hour.allowed === null ? 'No refusals.' : 'No request was counted.'}
        </p>
      ) : null}
      {!isLoading && !nothing ? (
        <>
          <p className="flex flex-wrap gap-x-4 text-sm tabular-nums">
            {hour.allowed === null || (hour.atLeast && hour.allowed === 0) ? null : (
              <Figure dot="bg-primary" text={`${atLeast}${formatNumber(hour.allowed)} allowed`} />
            )}
            <Figure dot="bg-chart-ip" text={`${atLeast}${formatNumber(hour.refused)} refused`} />
          </p>
          <SlotBars label="Requests in each minute of the last hour" slots={hour.slots} />
          <ul className="flex flex-wrap gap-x-4 text-xs text-muted-foreground tabular-nums">
            {hour.classes.map(({ class: name, allowed, refused }) => (
              <li key={name ?? ''}>
                {name === 'all' ? 'All classes' : nameClassOrLimit(name)}:{' '}
                {allowed === null || (hour.atLeast && allowed === 0) ? '' : `${formatNumber(allowed)} allowed, `}
                {formatNumber(refused)} refused
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <p className="text-xs text-muted-foreground empty:hidden">
        {activity === null || isLoading ? '' : `Allowed requests are counted up to ${formatClock(activity.to, zone)}. `}
        {request.type === 'client_id' ? 'Allowed requests of OAuth clients are not counted one by one. ' : ''}
        {request.type === 'subject' ? 'Allowed checks of named limits are not counted one by one. ' : ''}
        {hour.atLeast ? 'Only the 64 busiest callers of each minute and class are counted one by one. ' : ''}
        {bypassed ? 'Requests that bypass rate limits are not counted by caller.' : ''}
      </p>
    </section>
  );
}

function Figure({ dot, text }: { dot: string; text: string }) {
  return (
    <span className="flex items-center gap-1.5 font-medium first-letter:uppercase">
      <span aria-hidden className={`size-2 rounded-full ${dot}`} />
      {text}
    </span>
  );
}
