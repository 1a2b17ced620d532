'use client';

import { Play } from 'lucide-react';
import { useState } from 'react';
import { LabTargetForm } from '@/components/oauth/assessments/lab-target-form';
import { ServerTargetForm } from '@/components/oauth/assessments/server-target-form';
import type { AssessmentOrder } from '@/components/oauth/assessments/use-assessments';
import { useMay } from '@/components/shell/member';
import { RoleNote } from '@/components/shell/role-note';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';

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
