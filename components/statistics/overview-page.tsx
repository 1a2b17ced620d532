'use client';

import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs';
import { AlertsLine } from '@/components/alerts/alerts-line';
import { useOpenAlerts } from '@/components/alerts/use-open-alerts';
import { useCandidates } from '@/components/candidates/use-candidates';
import { FirstHourNote } from '@/components/first-hour/first-hour-note';
import { useFirstHour } from '@/components/first-hour/use-first-hour';
import { ConnectionNote } from '@/components/list/connection-note';
import { useNamedLimits } from '@/components/named-limits/limits';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { PageHeader } from '@/components/shell/page-header';
import { DecisionChart } from '@/components/statistics/decision-chart';
import { HealthStrip, useHealth } from '@/components/statistics/health-strip';
import { QuotaWatch, useQuotas } from '@/components/statistics/quota-watch';
import { TopRefused } from '@/components/statistics/top-refused';
import { TrustNote } from '@/components/statistics/trust-note';
import { SPANS, useStatistics } from '@/components/statistics/use-statistics';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';

const CandidatesCard = loadOnDemand(() => import('@/components/candidates/candidates-card'));
const FirstHour = loadOnDemand(() => import('@/components/first-hour/first-hour'), LargeSkeleton);

function LargeSkeleton() {
  return <Skeleton className="h-72 rounded-lg" />;
}

/** Starts the requests of the cards together with the others, although the cards wait for the parts above them. */
function CardRequests() {
  useQuotas();
  useNamedLimits();
  useCandidates();
  return null;
}

export function OverviewPage() {
  const [span, setSpan] = useQueryState(
    'span',
    parseAsStringLiteral(SPANS).withDefault('1h').withOptions({ history: 'push' }),
  );
  const [limit, setLimit] = useQueryState('limit', parseAsString.withOptions({ history: 'push' }));
  const statistics = useStatistics(span, limit);
  const health = useHealth();
  const alerts = useOpenAlerts();
  const firstHour = useFirstHour();
  const { steps } = firstHour;
  // The page is empty until the first decision, except for the member's own sign-in.
  const isEmpty = firstHour.isShown && steps?.request.done === false;
  // Buttons and links wait for the parts above them, because those would move them.
  const isSettled = firstHour.isSettled && !alerts.isPending;
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <>
            <ConnectionNote queries={[statistics, health]} />
            <Segmented
              label="Time"
              value={span}
              onChange={(next) => void setSpan(next)}
              options={SPANS.map((value) => ({ value, label: value }))}
            />
          </>
        }
      />
      <TrustNote ranges={health.data?.value.widely_trusted ?? []} />
      {steps && firstHour.isShown ? <FirstHour state={firstHour} steps={steps} /> : null}
      <HealthStrip health={health} />
      <CardRequests />
      {isSettled ? null : <LargeSkeleton />}
      {isSettled && isEmpty ? <AlertsLine alerts={alerts} /> : null}
      {isSettled && !isEmpty ? (
        <>
          <DecisionChart {...{ statistics, span, limit }} onLimit={(name) => void setLimit(name)} />
          <AlertsLine alerts={alerts} />
          <div className="grid items-start gap-5 lg:grid-cols-2">
            <TopRefused {...{ statistics, span, limit }} />
            <QuotaWatch />
          </div>
        </>
      ) : null}
      {isSettled ? <CandidatesCard /> : null}
      {steps && !firstHour.isShown ? <FirstHourNote state={firstHour} /> : null}
    </>
  );
}
