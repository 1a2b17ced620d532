'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { ConnectionNote } from '@/components/shell/connection-note';
import { PageHeader } from '@/components/shell/page-header';
import { DecisionChart } from '@/components/statistics/decision-chart';
import { HealthStrip, useHealth } from '@/components/statistics/health-strip';
import { QuotaWatch } from '@/components/statistics/quota-watch';
import { TopRefused } from '@/components/statistics/top-refused';
import { SPANS, useStatistics } from '@/components/statistics/use-statistics';
import { Segmented } from '@/components/ui/segmented';

export function OverviewPage() {
  const [span, setSpan] = useQueryState(
    'span',
    parseAsStringLiteral(SPANS).withDefault('1h').withOptions({ history: 'push' }),
  );
  const statistics = useStatistics(span);
  const health = useHealth();
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
      <HealthStrip health={health} />
      <DecisionChart statistics={statistics} span={span} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <TopRefused statistics={statistics} span={span} />
        <QuotaWatch />
      </div>
    </>
  );
}
