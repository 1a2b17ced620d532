'use client';

import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, FileDown, RotateCw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useCall } from '@/components/api/use-call';
import { ListError } from '@/components/list/list-error';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { buildRepeatHref, ExportItems, RemoveItem, useMayRepeat } from '@/components/oauth/assessments/assessment-menu';
import { BackToAssessments } from '@/components/oauth/assessments/links';
import { Changes } from '@/components/oauth/assessments/report/changes';
import { FindingsView } from '@/components/oauth/assessments/report/findings-view';
import { ProfilesView } from '@/components/oauth/assessments/report/profiles-view';
import { ReportSummary } from '@/components/oauth/assessments/report/report-summary';
import { ThreatsView } from '@/components/oauth/assessments/report/threats-view';
import { useFindingRows } from '@/components/oauth/assessments/report/use-finding-rows';
import { SetUpChecks } from '@/components/oauth/assessments/run/set-up-checks';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Menu } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { readAssessment } from '@/lib/contract/assessments';
import { describeIncompleteness } from '@/lib/oauth/report/sentences';

/** Report of an assessment, compared with the baseline that the URL names, if any. */
export function ReportPage({ id }: { id: string }) {
  const [baseline, setBaseline] = useQueryState('baseline', parseAsString.withOptions({ history: 'push' }));
  const query = { format: 'json', exchanges: 'none', ...(baseline === null ? {} : { baseline }) } as const;
  const { data, error, refetch } = useCall(
    ['assessments', id, baseline],
    readAssessment,
    { params: { id }, query },
    { refetchInterval: ({ state }) => (state.data?.value.state === 'running' ? 2_000 : false) },
  );
  const report = data?.value;
  if (report) return <Report report={report} onBaseline={(next) => void setBaseline(next)} />;
  return (
    <>
      <BackToAssessments />
      {error && baseline !== null ? (
        <Alert variant="warning" title="The baseline cannot be read">
          <Button variant="outline" size="sm" className="mt-1.5" onClick={() => void setBaseline(null)}>
            Show the report without it
          </Button>
        </Alert>
      ) : null}
      {error ? (
        <ListError error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Skeleton className="h-7 w-56" />
          <Skeleton className="h-36 rounded-lg" />
          <Skeleton className="h-80 rounded-lg" />
        </>
      )}
    </>
  );
}

const TABS = [
  { value: 'findings', label: 'Findings' },
  { value: 'profiles', label: 'Profiles' },
  { value: 'threats', label: 'Threats' },
  { value: 'set-up', label: 'Set-up check' },
] as const;

function Report({ report, onBaseline }: { report: AssessmentReport; onBaseline: (id: string | null) => void }) {
  const [tab, setTab] = useListTab(TABS);
  const rows = useFindingRows(report, () => void setTab('findings'));
  const notWhole = describeIncompleteness(report);
  return (
    <>
      <PageTitle name={report.name} />
      <BackToAssessments />
      <PageHeader
        title={<span className="wrap-anywhere">{report.name}</span>}
        description={
          report.kind === 'lab' ? (
            'The built-in lab'
          ) : (
            <span className="font-mono text-xs wrap-anywhere">{report.target}</span>
          )
        }
        actions={<ReportActions report={report} />}
      />
      {notWhole === null ? null : <Alert variant="warning">{notWhole}</Alert>}
      <ReportSummary report={report} onBaseline={onBaseline} />
      {report.baseline ? <Changes report={report} baseline={report.baseline} /> : null}
      <ListTabs label="Parts of the report" value={tab} onChange={(next) => void setTab(next)} tabs={TABS} />
      {tab === 'findings' ? <FindingsView report={report} rows={rows} /> : null}
      {tab === 'profiles' ? <ProfilesView report={report} /> : null}
      {tab === 'threats' ? <ThreatsView report={report} /> : null}
      {tab === 'set-up' ? <SetUpChecks checks={report.preflight} /> : null}
    </>
  );
}

function ReportActions({ report }: { report: AssessmentReport }) {
  const router = useRouter();
  const queries = useQueryClient();
  const leave = () => {
    queries.removeQueries({ queryKey: ['assessments', report.id] });
    router.push('/oauth/assessments');
  };
  return (
    <span className="flex flex-wrap gap-2 print:hidden">
      {useMayRepeat(report) ? (
        <Button asChild variant="outline">
          <Link href={buildRepeatHref(report)}>
            <RotateCw aria-hidden /> Assess again
          </Link>
        </Button>
      ) : null}
      <Menu
        align="end"
        trigger={
          <Button variant="outline">
            <FileDown aria-hidden /> Export
          </Button>
        }
      >
        <ExportItems id={report.id} baseline={report.baseline?.id} />
      </Menu>
      <Menu
        align="end"
        trigger={
          <Button variant="ghost" size="icon" aria-label="More actions">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <RemoveItem assessment={report} onRemoved={leave} />
      </Menu>
    </span>
  );
}
