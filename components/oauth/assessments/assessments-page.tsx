'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { explainError } from '@/components/explain-error';
import { ListError } from '@/components/list/list-error';
import {
  type AssessmentOrder,
  type AssessmentProgress,
  AssessmentProgressBar,
  NO_PROGRESS,
  requestAssessment,
} from '@/components/oauth/assessment-progress';
import { AssessmentForm } from '@/components/oauth/assessments/assessment-form';
import { countVerdicts, keepReport, listReports, removeReport } from '@/components/oauth/assessments/report';
import { ReportComparison, ReportList, ReportView } from '@/components/oauth/assessments/reports-view';
import { LabContext, useLab } from '@/components/oauth/lab-context';
import { PageHeader } from '@/components/shell/page-header';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import type { LabDescription } from '@/lib/oauth/describe-lab';

const REPORTS_KEY = ['oauth-audits'];

/** The whole catalogue, run against the lab or a real server; the reports are kept in this browser. */
export function AssessmentsPage({ lab }: { lab: LabDescription }) {
  const client = useQueryClient();
  const reports = useQuery({ queryKey: REPORTS_KEY, queryFn: listReports });
  const [running, setRunning] = useState<{ order: AssessmentOrder; progress: AssessmentProgress } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const stop = useRef<AbortController>(null);

  const run = async (order: AssessmentOrder) => {
    const controller = new AbortController();
    stop.current = controller;
    const watch = (progress: AssessmentProgress) => setRunning({ order, progress });
    setError(null);
    watch(NO_PROGRESS);
    try {
      const { findings, durationMs } = await requestAssessment(order, watch, controller.signal);
      const { name, issuer } = order;
      const id = crypto.getRandomValues(new Uint32Array(3)).join('');
      await keepReport({ id, name, issuer, at: new Date().toISOString(), durationMs: durationMs ?? 0, findings });
      await client.invalidateQueries({ queryKey: REPORTS_KEY });
      setChosen([id]);
    } catch (fault) {
      if (!controller.signal.aborted) setError(fault);
    } finally {
      setRunning(null);
    }
  };
  const remove = async (id: string) => {
    await removeReport(id);
    await client.invalidateQueries({ queryKey: REPORTS_KEY });
  };
  // Two at most: a third one takes the place of the older choice.
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? [...before, id].slice(-2) : before.filter((other) => other !== id)));

  const kept = reports.data ?? [];
  const [first, second] = chosen.flatMap((id) => kept.filter((report) => report.id === id));
  const fault = error ? explainError(error) : null;
  return (
    <LabContext value={lab}>
      <PageHeader
        title="OAuth assessments"
        description={`${lab.controls.length} controls, each assessed by what a server really answers.`}
      />
      <AssessmentForm busy={running !== null} onRun={(order) => void run(order)} />
      {fault ? (
        <Alert variant="destructive" title={fault.title}>
          <span role="alert">{fault.text}</span>
        </Alert>
      ) : null}
      {running ? <RunningCard {...running} onCancel={() => stop.current?.abort()} /> : null}
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
function RunningCard(running: { order: AssessmentOrder; progress: AssessmentProgress; onCancel: () => void }) {
  const { order, progress, onCancel } = running;
  const { controls } = useLab();
  const last = progress.findings.at(-1);
  const title = controls.find(({ id }) => id === last?.control)?.title ?? last?.control;
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
