'use client';

import { type ReactNode, useState } from 'react';
import type { AssessmentOrder } from '@/components/oauth/assessments/use-assessments';
import { useLab } from '@/components/oauth/lab-context';
import { Segmented } from '@/components/ui/segmented';
import { PRESET_NAMES, PRESETS, type PresetName } from '@/lib/oauth/builder/presets';
import { switchedOff } from '@/lib/oauth/lab/controls';

const WORDS: Record<PresetName, string> = {
  insecure: 'Every control that has a switch is off.',
  partial: 'A server of ten years ago: exact redirect URIs and signed tokens, nothing of RFC 9700.',
  secure: 'Every control is on.',
};

/** The built-in lab as a target, as one of the presets has it. */
export function LabTargetForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
  const { issuer } = useLab();
  const [preset, setPreset] = useState<PresetName>('secure');
  return (
    <form
      className="flex flex-wrap items-center gap-x-4 gap-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        onRun({
          name: `Lab, ${preset}`,
          issuer,
          path: '/v1/oauth-lab/audits',
          body: { off: switchedOff(PRESETS[preset]) },
        });
      }}
    >
      <Segmented
        label="Preset"
        value={preset}
        onChange={setPreset}
        options={PRESET_NAMES.map((name) => ({ value: name, label: name }))}
      />
      <p className="min-w-0 flex-1 basis-64 text-sm text-muted-foreground">{WORDS[preset]}</p>
      {submit}
    </form>
  );
}
