'use client';

import { useEffect, useId, useState } from 'react';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Disclosure } from '@/components/oauth/disclosure';
import { useLab } from '@/components/oauth/lab-context';
import { cn } from '@/components/ui/cn';
import { Switch } from '@/components/ui/switch';
import type { Area, ControlDescription } from '@/lib/oauth/controls/control';
import { type ControlSwitch, isControlSwitch } from '@/lib/oauth/lab/controls';

const AREAS: readonly { area: Area; title: string }[] = [
  { area: 'authorization', title: 'Authorization' },
  { area: 'code', title: 'Code' },
  { area: 'token', title: 'Token endpoint' },
  { area: 'resource', title: 'Access token' },
  { area: 'transport', title: 'Transport' },
];

function SwitchRow({ control, id }: { control: ControlDescription; id: ControlSwitch }) {
  const { state, dispatch } = useBuilder();
  const own = useId();
  const on = state.controls[id];
  return (
    <li className="flex items-start gap-2.5 py-1.5">
      <Switch
        id={own}
        checked={on}
        onCheckedChange={(next) => dispatch({ type: 'change', part: { controls: { ...state.controls, [id]: next } } })}
      />
      <label htmlFor={own} title={control.protectsFrom} className="min-w-0 text-xs leading-5 select-none">
        <span className={cn(!on && 'text-muted-foreground')}>{control.title}</span>{' '}
        <span className="text-muted-foreground">· {control.severity}</span>
        {on ? null : <span className="font-medium text-destructive-text"> · off</span>}
      </label>
    </li>
  );
}

/** A switch for every control that the lab can leave out. */
export function ControlSwitches() {
  const { state } = useBuilder();
  const { controls } = useLab();
  const [opened, setOpened] = useState<ReadonlySet<Area>>(new Set());
  // Where there is room beside the request, the first switches are in sight.
  useEffect(() => {
    if (window.matchMedia('(min-width: 72rem)').matches) setOpened(new Set<Area>(['authorization']));
  }, []);
  const toggle = (area: Area, open: boolean) =>
    setOpened((before) => new Set(open ? [...before, area] : [...before].filter((one) => one !== area)));
  return (
    <div className="flex flex-col">
      {AREAS.map(({ area, title }) => {
        const own = controls.flatMap((control) =>
          control.area === area && isControlSwitch(control.id) ? [{ control, id: control.id }] : [],
        );
        if (own.length === 0) return null;
        const off = own.filter(({ id }) => !state.controls[id]).length;
        return (
          <Disclosure
            key={area}
            open={opened.has(area)}
            onOpenChange={(open) => toggle(area, open)}
            className="-mx-1.5 border-t"
            title={
              <span className="flex items-baseline justify-between gap-2">
                <span className="font-medium">{title}</span>
                <span
                  className={cn('text-xs tabular-nums', off > 0 ? 'text-destructive-text' : 'text-muted-foreground')}
                >
                  {off > 0 ? `${off} of ${own.length} off` : `${own.length} on`}
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
  );
}
