import { useEffect, useId } from 'react';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Disclosure, useOpenSet } from '@/components/oauth/disclosure';
import { useLab } from '@/components/oauth/lab-context';
import { scoreOfAssessed } from '@/components/oauth/matrix';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Segmented } from '@/components/ui/segmented';
import { Switch } from '@/components/ui/switch';
import { WEIGHTS } from '@/lib/oauth/builder/score';
import { AREAS, type ControlDescription, SEVERITIES } from '@/lib/oauth/controls/control';
import {
  type ControlSwitch,
  isControlSwitch,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
  presetOf,
  switchedOff,
} from '@/lib/oauth/lab/controls';

const AREA_TITLES = {
  authorization: 'Authorization',
  code: 'Code',
  token: 'Token endpoint',
  resource: 'Access token',
  transport: 'Transport',
};

/** The lab's switches, with presets and the measured score. */
export function ControlBar() {
  const { state, change } = useBuilder();
  const { controls } = useLab();
  const areas = useOpenSet();
  // On wide screens, where there is room beside the request, the first switches are in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only at first
  useEffect(() => {
    if (window.matchMedia('(min-width: 72rem)').matches) areas.setOpen('authorization', true);
  }, []);
  const off = switchedOff(state.controls).length;
  return (
    <Card aria-label="Controls">
      <CardHeader>
        <CardTitle>Controls</CardTitle>
        <span className="text-xs text-muted-foreground tabular-nums">{off === 0 ? 'all on' : `${off} off`}</span>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
        <Segmented<PresetName | ''>
          label="Preset"
          value={presetOf(state.controls) ?? ''}
          className="w-full"
          onChange={(name) => name !== '' && change({ controls: PRESETS[name] })}
          options={PRESET_NAMES.map((name) => ({ value: name, label: name }))}
        />
        <ScoreSection />
        <div className="flex flex-col">
          {AREAS.map((area) => {
            const own = controls.flatMap((control) =>
              control.area === area && isControlSwitch(control.id) ? [{ control, id: control.id }] : [],
            );
            if (own.length === 0) return null;
            const offHere = own.filter(({ id }) => !state.controls[id]).length;
            const colour = offHere > 0 ? 'text-destructive-text' : 'text-muted-foreground';
            return (
              <Disclosure
                key={area}
                {...areas.of(area)}
                className="-mx-1.5 border-t"
                title={
                  <span className="flex items-baseline justify-between gap-2 font-medium">
                    {AREA_TITLES[area]}
                    <span className={cn('text-xs font-normal tabular-nums', colour)}>
                      {offHere > 0 ? `${offHere} of ${own.length} off` : `${own.length} on`}
                    </span>
                  </span>
                }
              >
                <ul className="-ml-6 pl-1.5 max-sm:ml-0">
                  {own.map(({ control, id }) => (
                    <SwitchRow key={id} control={control} id={id} />
                  ))}
                </ul>
              </Disclosure>
            );
          })}
        </div>
      </CardContent>
    </Card>
  );
}

function SwitchRow({ control, id }: { control: ControlDescription; id: ControlSwitch }) {
  const { state, change } = useBuilder();
  const switchId = useId();
  const on = state.controls[id];
  const turn = (next: boolean) => change({ controls: { ...state.controls, [id]: next } });
  return (
    <li className="flex items-start gap-2.5 py-1.5">
      <Switch id={switchId} checked={on} onCheckedChange={turn} />
      <label htmlFor={switchId} title={control.protectsFrom} className="min-w-0 text-xs leading-5 select-none">
        <span className={cn(!on && 'text-muted-foreground')}>{control.title}</span>{' '}
        <span className="text-muted-foreground">· {control.severity}</span>
        {on ? null : <span className="font-medium text-destructive-text"> · off</span>}
      </label>
    </li>
  );
}

function ScoreSection() {
  const { assessed, measurement } = useBuilder();
  const { running } = measurement;
  const score = scoreOfAssessed(assessed);
  const percent = running ? null : score.percent;
  const good = percent === 100 ? 'text-success-text' : 'text-warning-text';
  const colour = percent !== null && percent < 50 ? 'text-destructive-text' : good;
  const count = (severity: string, kind: string) =>
    assessed.filter(({ control, finding }) => control.severity === severity && finding.verdict.kind === kind).length;
  const weighting = <span className="text-xs text-muted-foreground">How the score is weighted</span>;
  return (
    <section aria-label="Score">
      <div className="flex items-baseline gap-3">
        <output className={cn('text-2xl font-semibold text-muted-foreground tabular-nums', percent !== null && colour)}>
          {percent ?? '…'}
        </output>
        <span className="text-xs text-muted-foreground tabular-nums">
          {running ? 'measuring' : `of 100 · ${score.failed} failed, ${score.passed} passed`}
        </span>
      </div>
      <Disclosure title={weighting} className="-mx-1.5 mt-1">
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
          {score.passedWeight} of {score.passedWeight + score.failedWeight} points passed. Controls that are off count
          as failed; inconclusive and not applicable ones do not count.
        </p>
      </Disclosure>
    </section>
  );
}
