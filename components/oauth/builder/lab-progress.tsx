import { ProgressBar } from '@/components/oauth/assessments/progress-bar';
import type { AssessmentLine } from '@/lib/contract/assessment-events';
import type { Finding } from '@/lib/oauth/assessment/run';

/** Progress of an assessment of the lab. */
export interface LabProgress {
  done: number;
  total: number;
  findings: readonly Finding[];
  /** Summary of the assessment. Null until it has finished. */
  summary: Extract<AssessmentLine, { type: 'finished' }>['summary'] | null;
  /** Duration in milliseconds. Null until it has finished. */
  durationMs: number | null;
}

/** Progress before the first event. */
export const NO_PROGRESS: LabProgress = { done: 0, total: 0, findings: [], summary: null, durationMs: null };

/** Shows the progress of a measurement, or how long it took. */
export function LabProgressBar({ progress, running }: { progress: LabProgress; running: boolean }) {
  const { done, total, durationMs } = progress;
  if (!running)
    return (
      <p className="text-xs text-muted-foreground tabular-nums">
        {durationMs === null ? 'not finished' : `${total} controls in ${(durationMs / 1000).toFixed(1)} s`}
      </p>
    );
  return (
    <div className="flex w-36 flex-col gap-1.5 text-xs text-muted-foreground tabular-nums">
      <span>{`${done} of ${total || '…'} controls`}</span>
      <ProgressBar label="Progress of the assessment" value={done} max={total} />
    </div>
  );
}
