'use client';

import { useState } from 'react';
import { explainError } from '@/components/explain-error';
import { ListError } from '@/components/list/list-error';
import { AssessmentProgressBar } from '@/components/oauth/assessment-progress';
import { AssessmentForm } from '@/components/oauth/assessments/assessment-form';
import { countVerdicts } from '@/components/oauth/assessments/report';
import { ReportList } from '@/components/oauth/assessments/report-list';
import { ReportComparison, ReportView } from '@/components/oauth/assessments/report-view';
import { useAssessments } from '@/components/oauth/assessments/use-assessments';
import { LabContext } from '@/components/oauth/lab-context';
import { PageHeader } from '@/components/shell/page-header';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import type { LabDescription } from '@/lib/oauth/describe-lab';

/** The whole catalogue, run against the lab or a real server; the reports are kept in this browser. */
export function AssessmentsPage({ lab }: { lab: LabDescription }) {
  const { reports, running, error, run, remove, cancel } = useAssessments();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const kept = reports.data ?? [];
  const [first, second] = chosen.flatMap((id) => kept.filter((report) => report.id === id));
  // Two at most: a third one takes the place of the older choice.
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? [...before, id].slice(-2) : before.filter((other) => other !== id)));
  const fault = error ? explainError(error) : null;
  return (
    <LabContext value={lab}>
      <PageHeader
        title="OAuth assessments"
        description={`${lab.controls.length} controls, each assessed by what a server really answers.`}
      />
      <AssessmentForm
        busy={running !== null}
        onRun={(order) => void run(order).then((report) => report && setChosen([report.id]))}
      />
      {fault ? (
        <Alert variant="destructive" title={fault.title}>
          <span role="alert">{fault.text}</span>
        </Alert>
      ) : null}
      {running ? <RunningCard running={running} lab={lab} onCancel={cancel} /> : null}
      <section aria-label="Reports" className="flex flex-col gap-2">
        <h2 className="text-base font-semibold">Reports</h2>
        <p className="text-sm text-muted-foreground">
          The newest 30, kept in this browser only. Select one to read it, two to compare them.
        </p>
        {reports.error ? (
          <ListError error={reports.error} onRetry={() => void reports.refetch()} />
        ) : reports.isPending ? (
          <Skeleton className="h-24 rounded-lg" />
        ) : (
          <ReportList reports={kept} chosen={chosen} onChoose={choose} onRemove={(id) => void remove(id)} />
        )}
      </section>
      {first && second ? <ReportComparison before={first} after={second} /> : null}
      {first && !second ? <ReportView report={first} /> : null}
    </LabContext>
  );
}

/** The running assessment: its progress and latest finding. */
function RunningCard({
  running: { order, progress },
  lab,
  onCancel,
}: {
  running: NonNullable<ReturnType<typeof useAssessments>['running']>;
  lab: LabDescription;
  onCancel: () => void;
}) {
  const last = progress.findings.at(-1);
  const title = lab.controls.find(({ id }) => id === last?.control)?.title ?? last?.control;
  return (
    <Card aria-label="Assessment in progress">
      <CardHeader>
        <CardTitle>{order.name}</CardTitle>
        <span className="flex items-center gap-3">
          <AssessmentProgressBar progress={progress} running />
          <Button variant="outline" size="sm" onClick={onCancel}>
            Stop
          </Button>
        </span>
      </CardHeader>
      <CardContent className="text-sm text-muted-foreground">
        {last
          ? `${title}: ${last.verdict.kind.replace('_', ' ')}. ${countVerdicts(progress, 'failed')} failed so far.`
          : 'Reading the metadata…'}
      </CardContent>
    </Card>
  );
}
