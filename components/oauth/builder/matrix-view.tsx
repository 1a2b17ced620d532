'use client';

import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ListError } from '@/components/list/list-error';
import { AssessmentProgressBar, NO_PROGRESS, requestAssessment } from '@/components/oauth/assessment-progress';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { type AssessedControl, Matrix } from '@/components/oauth/matrix';
import { Button } from '@/components/ui/button';
import { auditLab } from '@/lib/contract/lab';
import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';

/** Several switches are often changed at once. Milliseconds. */
const DELAY_MS = 500;

/** Measures the lab with the given controls, again whenever they change, and on `again`. */
export function useMeasurement(controls: Controls) {
  const off = switchedOff(controls).join(' ');
  const [round, setRound] = useState(0);
  const [progress, setProgress] = useState(NO_PROGRESS);
  const [running, setRunning] = useState(true);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round measures the same controls again
  useEffect(() => {
    const stop = new AbortController();
    setRunning(true);
    setError(null);
    const timer = setTimeout(async () => {
      try {
        await requestAssessment({ contract: auditLab, body: { off: switchedOff(controls) } }, setProgress, stop.signal);
      } catch (fault) {
        if (!stop.signal.aborted) setError(fault);
      } finally {
        if (!stop.signal.aborted) setRunning(false);
      }
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [off, round]);
  return { progress, running, error, again: () => setRound(round + 1) };
}

/** The security matrix of the lab with its current switches. */
export function MatrixView({
  measurement: { progress, running, error, again },
  assessed,
}: {
  measurement: ReturnType<typeof useMeasurement>;
  assessed: readonly AssessedControl[];
}) {
  const { matrixRows } = useBuilder();
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
      <Matrix assessed={assessed} rows={matrixRows} />
    </div>
  );
}
