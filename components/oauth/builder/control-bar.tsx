'use client';

import { ControlSwitches } from '@/components/oauth/builder/control-switches';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Disclosure } from '@/components/oauth/disclosure';
import type { AssessedControl } from '@/components/oauth/matrix/assessed-control';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Segmented } from '@/components/ui/segmented';
import { PRESET_NAMES, PRESETS, type PresetName, presetOf } from '@/lib/oauth/builder/presets';
import { scoreOf, WEIGHTS } from '@/lib/oauth/builder/score';
import { SEVERITIES } from '@/lib/oauth/controls/control';
import { switchedOff } from '@/lib/oauth/lab/controls';

/** The score of the controls as measured, and what it is made of. */
function ScoreCard({ assessed, running }: { assessed: readonly AssessedControl[]; running: boolean }) {
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
        title={<span className="text-xs text-muted-foreground">How the score is weighted</span>}
        className="-mx-1.5 mt-1"
      >
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
          {score.passedWeight} of {score.passedWeight + score.failedWeight} points passed. Controls that are off count
          as failed; inconclusive and not applicable ones do not count.
        </p>
      </Disclosure>
    </section>
  );
}

/** The lab's switches, with presets and the score that was measured with them. */
export function ControlBar({ assessed, running }: { assessed: readonly AssessedControl[]; running: boolean }) {
  const { state, dispatch } = useBuilder();
  const off = switchedOff(state.controls).length;
  const preset: PresetName | '' = presetOf(state.controls) ?? '';
  return (
    <Card aria-label="Controls">
      <CardHeader>
        <CardTitle>Controls</CardTitle>
        <span className="text-xs text-muted-foreground tabular-nums">{off === 0 ? 'all on' : `${off} off`}</span>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
        <Segmented<PresetName | ''>
          label="Preset"
          value={preset}
          className="w-full"
          onChange={(name) => {
            if (name !== '') dispatch({ type: 'change', part: { controls: PRESETS[name] } });
          }}
          options={PRESET_NAMES.map((name) => ({ value: name, label: name }))}
        />
        <ScoreCard assessed={assessed} running={running} />
        <ControlSwitches />
      </CardContent>
    </Card>
  );
}
