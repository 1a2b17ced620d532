import { ProgressBar } from '@/components/oauth/assessments/progress-bar';
import { streamAssessment } from '@/components/oauth/assessments/run/assessment-stream';
import type { AssessmentLine } from '@/lib/contract/assessments';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Finding } from '@/lib/oauth/assessment/run';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';

/** An assessment of the lab as far as it has come. */
export interface LabProgress {
  done: number;
  total: number;
  findings: readonly Finding[];
  /** Once it has finished. */
  summary: Extract<AssessmentLine, { type: 'finished' }>['summary'] | null;
  /** Milliseconds, once it has finished. */
  durationMs: number | null;
}

/** Before the first event. */
export const NO_PROGRESS: LabProgress = { done: 0, total: 0, findings: [], summary: null, durationMs: null };

/**
 * Assesses the lab with some switches off, keeps no report of it, and tells how far it has come.
 * @throws CallError, and whatever `fetch` throws when `signal` is aborted
 */
export async function assessLab(
  off: ControlSwitch[],
  onProgress: (progress: LabProgress) => void,
  signal: AbortSignal,
): Promise<LabProgress> {
  let progress = NO_PROGRESS;
  for await (const event of streamAssessment({ target: { lab: { off } }, keep: false }, signal)) {
    if (event.type === 'started') progress = { ...progress, total: event.total };
    else if (event.type === 'finished')
      progress = { ...progress, summary: event.summary, durationMs: event.duration_ms };
    else if (event.type === 'finding')
      progress = { ...progress, done: event.done, findings: [...progress.findings, toFinding(event)] };
    onProgress(progress);
  }
  return progress;
}

function toFinding({ control, verdict, reason, exchanges }: Extract<AssessmentLine, { type: 'finding' }>): Finding {
  const toExchange = ({ tokens, ...exchange }: (typeof exchanges)[number]): Exchange => ({
    ...exchange,
    ...(tokens === undefined ? {} : { tokens }),
  });
  return { control, verdict: { kind: verdict, reason }, exchanges: exchanges.map(toExchange), durationMs: 0 };
}

/** How far a measurement has come, or how long it took. */
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
