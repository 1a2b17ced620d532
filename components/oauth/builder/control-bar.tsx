'use client';

import { ControlSwitches } from '@/components/oauth/builder/control-switches';
import { ScoreCard } from '@/components/oauth/builder/score-card';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import type { AssessedControl } from '@/components/oauth/matrix/assessed-control';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import { PRESET_NAMES, PRESETS, type PresetName, presetOf } from '@/lib/oauth/builder/presets';
import { switchedOff } from '@/lib/oauth/lab/controls';

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
