import { useEffect, useId, useState } from 'react';
import { AREA_TITLES } from '@/components/oauth/area-titles';
import { LessonButton } from '@/components/oauth/builder/lessons/lesson-button';
import { PresetEffect, SwitchEffect } from '@/components/oauth/builder/request/switch-effect';
import { ScoreSection } from '@/components/oauth/builder/result/score-section';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Disclosure, useOpenSet } from '@/components/ui/disclosure';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import { Switch } from '@/components/ui/switch';
import { AREAS, type ControlDescription } from '@/lib/oauth/controls/control';
import {
  type ControlSwitch,
  findPreset,
  isControlSwitch,
  listDisabledControls,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
} from '@/lib/oauth/lab/controls';

/** Shows the lab's switches with presets, the measured score, and the effect of each switch. */
export function ControlBar({ className }: { className?: string }) {
  const { state, change } = useBuilder();
  const { controls } = useLab();
  const areas = useOpenSet();
  const [isWidthKnown, setWidthKnown] = useState(false);
  const taught = controls.find(({ id }) => id === state.lesson)?.area;
  // Wide screens have room next to the request, so the first switches are expanded, or those of the lesson.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only at first and when the lesson changes
  useEffect(() => {
    if (window.matchMedia('(min-width: 80rem)').matches) {
      if (taught !== undefined) for (const area of AREAS) areas.setOpen(area, area === taught);
      else areas.setOpen('authorization', true);
    }
    setWidthKnown(true);
  }, [taught]);
  const off = listDisabledControls(state.controls).length;
  return (
    <Card aria-label="Controls" className={className}>
      <CardHeader className="shrink-0">
        <CardTitle>Controls</CardTitle>
        <span className="text-xs text-muted-foreground tabular-nums">{off === 0 ? 'all on' : `${off} off`}</span>
      </CardHeader>
      <CardContent className="flex min-h-0 flex-1 flex-col gap-3 scroll-p-2 overflow-y-auto pt-1">
        <Segmented<PresetName | ''>
          label="Preset"
          value={findPreset(state.controls) ?? ''}
          className="w-full"
          onChange={(name) => name !== '' && change({ controls: PRESETS[name] })}
          options={PRESET_NAMES.map((name) => ({ value: name, label: name }))}
        />
        <PresetEffect />
        <ScoreSection />
        <div className="flex flex-col">
          {isWidthKnown ? (
            AREAS.map((area) => {
              const own = controls.flatMap((control) =>
                control.area === area && isControlSwitch(control.id) ? [{ control, id: control.id }] : [],
              );
              if (own.length === 0) return null;
              const offHere = own.filter(({ id }) => !state.controls[id]).length;
              const colour = offHere > 0 ? 'text-destructive-text' : 'text-muted-foreground';
              return (
                <Disclosure
                  key={area}
                  {...areas.bind(area)}
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
            })
          ) : (
            <Skeleton className="h-96" />
          )}
        </div>
      </CardContent>
    </Card>
  );
}

function SwitchRow({ control, id }: { control: ControlDescription; id: ControlSwitch }) {
  const { state, change } = useBuilder();
  const switchId = useId();
  const on = state.controls[id];
  const toggleControl = (next: boolean) => change({ controls: { ...state.controls, [id]: next } });
  return (
    <li className="flex items-start gap-2.5 py-1.5">
      <Switch id={switchId} checked={on} onCheckedChange={toggleControl} />
      <div className="min-w-0 flex-1">
        <div className="text-xs leading-5">
          <label htmlFor={switchId} title={control.protectsFrom} className="select-none">
            <span className={cn(!on && 'text-muted-foreground')}>{control.title}</span>{' '}
            <span className="text-muted-foreground">· {control.severity}</span>
            {on ? null : <span className="font-medium text-destructive-text"> · off</span>}
          </label>{' '}
          <LessonButton id={id} title={control.title} />
        </div>
        <SwitchEffect id={id} />
      </div>
    </li>
  );
}
