'use client';

import type { RunningAudit } from '@/components/oauth/assessments/use-assessments';
import { useLab } from '@/components/oauth/lab-context';
import { AuditProgressBar } from '@/components/oauth/matrix/progress-bar';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';

/** An audit under way: how far it is and what it found last. */
export function RunningCard({ running, onCancel }: { running: RunningAudit; onCancel: () => void }) {
  const { controls } = useLab();
  const { order, progress } = running;
  const last = progress.findings.at(-1);
  const title = controls.find((control) => control.id === last?.control)?.title;
  const failed = progress.findings.filter((finding) => finding.verdict.kind === 'failed').length;
  return (
    <Card aria-label="Audit under way">
      <CardHeader>
        <CardTitle>{order.name}</CardTitle>
        <span className="flex items-center gap-3">
          <AuditProgressBar progress={progress} running />
          <Button variant="outline" size="sm" onClick={onCancel}>
            Stop
          </Button>
        </span>
      </CardHeader>
      <CardContent className="text-sm text-muted-foreground">
        {last
          ? `${title ?? last.control}: ${last.verdict.kind.replace('_', ' ')}. ${failed} failed so far.`
          : 'Reading the metadata…'}
      </CardContent>
    </Card>
  );
}
