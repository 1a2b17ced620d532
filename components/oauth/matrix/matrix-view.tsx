'use client';

import { RotateCw } from 'lucide-react';
import { ListError } from '@/components/list/list-error';
import type { AssessedControl } from '@/components/oauth/matrix/assessed-control';
import { Matrix } from '@/components/oauth/matrix/matrix';
import { AssessmentProgressBar } from '@/components/oauth/matrix/progress-bar';
import type { Measurement } from '@/components/oauth/matrix/use-measurement';
import { Button } from '@/components/ui/button';

/** The security evaluation matrix of the lab as its switches stand, measured by the whole catalogue. */
export function MatrixView({
  measurement,
  assessed,
  opened,
  onOpenChange,
}: {
  measurement: Measurement;
  assessed: readonly AssessedControl[];
  opened: ReadonlySet<string>;
  onOpenChange: (control: string, open: boolean) => void;
}) {
  const { progress, running, error, again } = measurement;
  if (error) return <ListError error={error} onRetry={again} />;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-80 text-sm text-muted-foreground">
          Every verdict stands on exchanges that the assessment really had with the lab, its switches as they are set.
        </p>
        <div className="flex items-center gap-3">
          <AssessmentProgressBar progress={progress} running={running} />
          <Button variant="outline" size="sm" onClick={again} disabled={running}>
            <RotateCw aria-hidden /> Measure again
          </Button>
        </div>
      </div>
      <Matrix assessed={assessed} opened={opened} onOpenChange={onOpenChange} />
    </div>
  );
}
