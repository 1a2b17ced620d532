'use client';

import { useId } from 'react';
import type { LiveState } from '@/components/decisions/use-live-decisions';
import { Badge } from '@/components/ui/badge';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';

/** The switch of the live stream, with the state of its connection. */
export function LiveSwitch({
  on,
  state,
  onChange,
}: {
  on: boolean;
  state: LiveState;
  onChange: (on: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex h-8 items-center gap-2.5">
      <span aria-live="polite" className="empty:hidden">
        {state === 'lost' ? <Badge variant="warning">connection lost, trying again</Badge> : null}
        {state === 'live' ? <Badge variant="success">streaming</Badge> : null}
      </span>
      <Label htmlFor={id}>Live</Label>
      <Switch id={id} checked={on} onCheckedChange={onChange} />
    </div>
  );
}
