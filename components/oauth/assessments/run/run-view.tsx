import { CircleStop, Pencil } from 'lucide-react';
import { FormFault } from '@/components/form/api-form';
import { CitedText } from '@/components/format/cited-text';
import { useCatalogue } from '@/components/oauth/assessments/catalogue';
import { ProgressBar } from '@/components/oauth/assessments/progress-bar';
import { type AssessmentRun, stopAssessment } from '@/components/oauth/assessments/run/assessment-run';
import { SetUpChecks } from '@/components/oauth/assessments/run/set-up-checks';
import { SignInCard } from '@/components/oauth/assessments/run/sign-in-card';
import { VERDICT_LOOKS } from '@/components/oauth/assessments/verdict-looks';
import { SeverityBadge } from '@/components/oauth/control-labels';
import { PageHeader } from '@/components/shell/page-header';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card, CardContent, TitledCard } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { VERDICT_ORDER, VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';

/** Shows a running assessment: its set-up check, the sign-in, and the findings so far. */
export function RunView({ run, onClose }: { run: AssessmentRun; onClose: () => void }) {
  const running = run.state === 'running';
  const isWrong = run.checks?.some(({ ok }) => ok === false) ?? false;
  const change = running && isWrong ? <BackToFormButton onClose={onClose} /> : null;
  const setUp = run.checks ? <SetUpChecks checks={run.checks} action={change} /> : null;
  return (
    <>
      <PageHeader
        title={run.name}
        description={<span className="font-mono text-xs wrap-anywhere">{run.target}</span>}
        actions={
          running ? (
            <Button variant="outline" onClick={stopAssessment}>
              <CircleStop aria-hidden /> Stop
            </Button>
          ) : run.state === 'stopped' ? (
            <StoppedActions run={run} onClose={onClose} />
          ) : null
        }
      />
      <FormFault error={run.fault} />
      {isWrong ? setUp : null}
      {running ? <SignInCard run={run} /> : null}
      <Progress run={run} />
      {isWrong ? null : setUp}
      <LiveFindings run={run} />
    </>
  );
}

/** Button back to the form, so that errors found by the set-up check can be fixed. */
function BackToFormButton({ onClose }: { onClose: () => void }) {
  return (
    <Button variant="outline" size="sm" onClick={onClose}>
      <Pencil aria-hidden /> Stop and change the form
    </Button>
  );
}

function StoppedActions({ run, onClose }: { run: AssessmentRun; onClose: () => void }) {
  return (
    <>
      {run.id ? (
        <Button asChild variant="outline">
          <Link href={`/oauth/assessments/${run.id}`}>Found so far</Link>
        </Button>
      ) : null}
      <Button onClick={onClose}>Back to the form</Button>
    </>
  );
}

const DONE = { stopped: 'Stopped.', finished: 'Finished. Opening the report…' } as const;

function Progress({ run }: { run: AssessmentRun }) {
  const { findings, total, state, wanted, checks } = run;
  const activity =
    state !== 'running'
      ? DONE[state]
      : wanted && run.window !== 'back'
        ? 'Waiting for you to sign in.'
        : checks
          ? 'Comparing, control by control, a bad request with a good one.'
          : 'Checking the set-up…';
  return (
    <Card aria-label="Progress">
      <CardContent className="flex flex-col gap-3 pt-4">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
          <p role="status">{activity}</p>
          <p className="text-muted-foreground tabular-nums">
            {findings.length} of {total || '…'} controls
          </p>
        </div>
        <ProgressBar label="Controls assessed" value={findings.length} max={total} />
        <ul className="flex flex-wrap gap-2" aria-label="Found so far">
          {VERDICT_ORDER.map((verdict) => {
            const count = findings.filter((finding) => finding.verdict === verdict).length;
            if (count === 0) return null;
            return (
              <li key={verdict}>
                <Badge variant={VERDICT_LOOKS[verdict]} className="tabular-nums">
                  {count} {VERDICT_TITLES[verdict].toLowerCase()}
                </Badge>
              </li>
            );
          })}
        </ul>
        {state === 'running' ? (
          <p className="text-xs text-muted-foreground">
            You can use other screens of the console in the meantime. Closing or reloading this page stops the
            assessment.
          </p>
        ) : null}
      </CardContent>
    </Card>
  );
}

/** Number of newest findings shown in addition to the failures. */
const NEWEST = 5;

function LiveFindings({ run }: { run: AssessmentRun }) {
  const controls = new Map(useCatalogue()?.map((control) => [control.id, control]));
  const newest = run.findings.slice(-NEWEST);
  const shown = run.findings.filter((finding) => finding.verdict === 'failed' || newest.includes(finding)).reverse();
  if (shown.length === 0) return null;
  return (
    <TitledCard title="Findings" description="Failures and the newest" className="px-0 pb-0">
      <ul className="divide-y border-t">
        {shown.map(({ control: id, verdict, reason }) => {
          const control = controls.get(id);
          const failed = verdict === 'failed';
          return (
            <li key={id} className="grid gap-x-3 gap-y-1 px-4 py-2 text-sm sm:grid-cols-[6rem_minmax(0,1fr)]">
              {failed && control ? (
                <SeverityBadge severity={control.severity} />
              ) : (
                <Badge variant={VERDICT_LOOKS[verdict]}>{VERDICT_TITLES[verdict]}</Badge>
              )}
              <div className="min-w-0">
                <p className={failed ? 'font-medium' : undefined}>
                  {(failed ? control?.wrong : control?.title) ?? escapeInvisibleCharacters(id)}
                </p>
                <p className="text-xs text-muted-foreground wrap-anywhere">
                  <CitedText>{escapeInvisibleCharacters(reason)}</CitedText>
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </TitledCard>
  );
}
