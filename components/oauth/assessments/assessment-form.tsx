'use client';

import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ServerTargetForm } from '@/components/oauth/assessments/server-target-form';
import type { AssessmentOrder } from '@/components/oauth/assessments/use-assessments';
import { useLab } from '@/components/oauth/lab-context';
import { useMay } from '@/components/shell/member';
import { RoleNote } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import { auditLab } from '@/lib/contract/lab';
import { PRESET_NAMES, PRESETS, type PresetName } from '@/lib/oauth/builder/presets';
import { switchedOff } from '@/lib/oauth/lab/controls';

const WORDS: Record<PresetName, string> = {
  insecure: 'Every control that has a switch is off.',
  partial: 'A server of ten years ago: exact redirect URIs and signed tokens, nothing of RFC 9700.',
  secure: 'Every control is on.',
};

/** The built-in lab as a target, as one of the presets has it. */
function LabTargetForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
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
          call: { contract: auditLab, body: { off: switchedOff(PRESETS[preset]) } },
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

/** What is to be assessed: the lab as a preset has it, or a server somewhere else. */
export function AssessmentForm({ busy, onRun }: { busy: boolean; onRun: (order: AssessmentOrder) => void }) {
  const [target, setTarget] = useState<'lab' | 'server'>('lab');
  const mayServer = useMay('operator');
  const submit = (
    <Button type="submit" pending={busy} disabled={target === 'server' && !mayServer}>
      <Play aria-hidden /> Run the assessment
    </Button>
  );
  return (
    <Card aria-label="New assessment">
      <CardHeader>
        <CardTitle>New assessment</CardTitle>
        <span className="flex flex-wrap items-center gap-3">
          {target === 'server' ? <RoleNote needs="operator" /> : null}
          <Segmented
            label="Target"
            value={target}
            onChange={setTarget}
            options={[
              { value: 'lab', label: 'Built-in lab' },
              { value: 'server', label: 'A real server' },
            ]}
          />
        </span>
      </CardHeader>
      <CardContent>
        {target === 'lab' ? (
          <LabTargetForm submit={submit} onRun={onRun} />
        ) : (
          <ServerTargetForm submit={submit} onRun={onRun} />
        )}
      </CardContent>
    </Card>
  );
}
