'use client';

import { Disclosure } from '@/components/oauth/exchange/disclosure';
import type { AssessedControl } from '@/components/oauth/matrix/assessed-control';
import { cn } from '@/components/ui/cn';
import { scoreOf, WEIGHTS } from '@/lib/oauth/builder/score';
import { SEVERITIES } from '@/lib/oauth/controls/control';

/** The score of the controls as measured, and what it is made of. */
export function ScoreCard({ assessed, running }: { assessed: readonly AssessedControl[]; running: boolean }) {
  const score = scoreOf(
    assessed.map(({ control, finding }) => ({ severity: control.severity, kind: finding.verdict.kind })),
  );
  const percent = running ? null : score.percent;
  return (
    <section aria-label="Score">
      <div className="flex items-baseline gap-3">
        <output
          className={cn(
            'text-2xl font-semibold tabular-nums',
            percent === null
              ? 'text-muted-foreground'
              : percent === 100
                ? 'text-success-text'
                : percent < 50
                  ? 'text-destructive-text'
                  : 'text-warning-text',
          )}
        >
          {percent === null ? '…' : percent}
        </output>
        <span className="text-xs text-muted-foreground tabular-nums">
          {running ? 'measuring' : `of 100 · ${score.failed} failed, ${score.passed} passed`}
        </span>
      </div>
      <Disclosure
        title={<span className="text-xs text-muted-foreground">How the score is weighed</span>}
        className="-mx-1.5 mt-1"
      >
        <table className="w-full text-xs tabular-nums">
          <thead className="text-muted-foreground">
            <tr>
              <th scope="col" className="pb-1 text-left font-normal">
                Severity
              </th>
              <th scope="col" className="pb-1 text-right font-normal">
                Weight
              </th>
              <th scope="col" className="pb-1 text-right font-normal">
                Failed
              </th>
              <th scope="col" className="pb-1 text-right font-normal">
                Passed
              </th>
            </tr>
          </thead>
          <tbody>
            {SEVERITIES.map((severity) => {
              const count = (kind: string) =>
                assessed.filter((one) => one.control.severity === severity && one.finding.verdict.kind === kind).length;
              return (
                <tr key={severity}>
                  <th scope="row" className="py-0.5 text-left font-normal">
                    {severity}
                  </th>
                  <td className="text-right">{WEIGHTS[severity]}</td>
                  <td className="text-right">{count('failed')}</td>
                  <td className="text-right">{count('passed')}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        <p className="mt-2 text-xs text-muted-foreground">
          {score.passedWeight} of {score.passedWeight + score.failedWeight} weights passed. Controls that are off count
          as failed; inconclusive and not applicable ones do not count.
        </p>
      </Disclosure>
    </section>
  );
}
