'use client';

import { RotateCw } from 'lucide-react';
import { ListError } from '@/components/list/list-error';
import type { AssessmentProgress } from '@/components/oauth/assessment-progress';
import { Matrix } from '@/components/oauth/matrix';
import type { AssessedControl } from '@/components/oauth/matrix/assessed-control';
import type { Measurement } from '@/components/oauth/matrix/use-measurement';
import { Button } from '@/components/ui/button';

/** How far an assessment is. */
export function AssessmentProgressBar({ progress, running }: { progress: AssessmentProgress; running: boolean }) {
  const share = progress.total === 0 ? 0 : progress.done / progress.total;
  return (
    <div className="flex min-w-40 items-center gap-2 text-xs text-muted-foreground tabular-nums">
      <progress
        className="sr-only"
        aria-label="Progress of the assessment"
        value={progress.done}
        max={progress.total || 1}
      />
      {running ? (
        <span aria-hidden className="h-1.5 w-24 overflow-hidden rounded-full bg-foreground/10">
          <span className="block h-full bg-primary transition-[width]" style={{ width: `${share * 100}%` }} />
        </span>
      ) : null}
      <span>
        {running
          ? `${progress.done} of ${progress.total || '…'} controls`
          : progress.durationMs === null
            ? 'not finished'
            : `${progress.total} controls in ${(progress.durationMs / 1000).toFixed(1)} s`}
      </span>
    </div>
  );
}

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
          Each verdict is backed by real requests to the lab with its current switches.
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
