import type { AssessmentProgress } from '@/components/oauth/request-assessment';

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
