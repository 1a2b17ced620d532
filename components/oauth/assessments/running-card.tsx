'use client';

import type { RunningAssessment } from '@/components/oauth/assessments/use-assessments';
import { useLab } from '@/components/oauth/lab-context';
import { AssessmentProgressBar } from '@/components/oauth/matrix/progress-bar';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';

/** An assessment under way: how far it is and what it found last. */
export function RunningCard({ running, onCancel }: { running: RunningAssessment; onCancel: () => void }) {
  const { controls } = useLab();
  const { order, progress } = running;
  const last = progress.findings.at(-1);
  const title = controls.find((control) => control.id === last?.control)?.title;
  const failed = progress.findings.filter((finding) => finding.verdict.kind === 'failed').length;
  return (
    <Card aria-label="Assessment in progress">
      <CardHeader>
        <CardTitle>{order.name}</CardTitle>
        <span className="flex items-center gap-3">
          <AssessmentProgressBar progress={progress} running />
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
