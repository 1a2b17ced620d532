import { GRADE_LOOKS } from '@/components/oauth/assessments/grade';
import { LabProgressBar } from '@/components/oauth/builder/lab-progress';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import { CAPS, computeScore, WEIGHTS } from '@/lib/oauth/builder/score';
import { SEVERITIES } from '@/lib/oauth/controls/control';

/** Shows the grade of a report and its score, measured with the current switches. */
export function ScoreSection() {
  const { assessed, measurement } = useBuilder();
  const { progress, running } = measurement;
  const grade = progress.summary?.grade ?? null;
  const score = computeScore(
    assessed.map(({ control, finding }) => ({ severity: control.severity, kind: finding.verdict.kind })),
    grade,
  );
  const count = (severity: string, kind: string) =>
    assessed.filter(({ control, finding }) => control.severity === severity && finding.verdict.kind === kind).length;
  return (
    <section aria-label="Score">
      <div className="flex min-h-18 items-center gap-3">
        <output
          aria-label="Grade"
          className={cn(
            'grid size-10 shrink-0 place-items-center rounded-md text-xl font-semibold',
            grade === null ? 'bg-muted text-muted-foreground' : GRADE_LOOKS[grade],
          )}
        >
          {grade ?? '…'}
        </output>
        <div className="flex min-w-0 flex-col justify-center self-stretch text-xs text-muted-foreground tabular-nums">
          {running ? (
            <LabProgressBar progress={progress} running />
          ) : (
            <>
              <p>
                <span className="text-base font-semibold text-foreground">{score.percent ?? '–'}</span> of 100
              </p>
              <p>
                {score.failed} failed · {score.passed} passed
              </p>
              {score.undecided > 0 ? <p>{score.undecided} undecided</p> : null}
              {score.notApplicable > 0 ? <p>{score.notApplicable} not applicable</p> : null}
            </>
          )}
        </div>
      </div>
      <Disclosure
        title={<span className="text-xs text-muted-foreground">How it is graded</span>}
        className="-mx-1.5 mt-1"
      >
        <div className="-ml-6 max-sm:ml-0">
          <table className="w-full text-xs tabular-nums">
            <thead className="text-muted-foreground">
              <tr>
                {['Severity', 'Weight', 'Failed', 'Passed'].map((head) => (
                  <th key={head} scope="col" className="pb-1 text-right font-normal first:text-left">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {SEVERITIES.map((severity) => (
                <tr key={severity} className="text-right">
                  <th scope="row" className="py-0.5 text-left font-normal">
                    {severity}
                  </th>
                  <td>{WEIGHTS[severity]}</td>
                  <td>{count(severity, 'failed')}</td>
                  <td>{count(severity, 'passed')}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="mt-2 text-xs text-muted-foreground">
            {score.passedWeight} of {score.passedWeight + score.failedWeight} points passed. A failed critical control
            makes it F, at most {CAPS.F}; a failed high one C, at most {CAPS.C}, three of them D, at most {CAPS.D}; a
            failed medium one B, at most {CAPS.B}. Undecided controls do not count.
          </p>
        </div>
      </Disclosure>
    </section>
  );
}
