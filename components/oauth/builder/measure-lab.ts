import { call } from '@/components/api/call';
import { streamAssessment } from '@/components/oauth/assessments/run/assessment-stream';
import { type LabProgress, NO_PROGRESS } from '@/components/oauth/builder/lab-progress';
import type { AssessmentLine } from '@/lib/contract/assessment-events';
import { playReplay } from '@/lib/contract/assessments';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Finding } from '@/lib/oauth/assessment/run';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import type { ReplayReport } from '@/lib/oauth/replays/replay';

/** Shortest time between two reports of findings, in milliseconds, because each report renders the whole builder. */
const REPORT_STEP = 100;

/**
 * Assesses the lab with some switches off, without storing a report, and reports its progress. `only` selects controls.
 * @throws CallError on failure; errors of `fetch` if `signal` is aborted
 */
export async function assessLab(
  off: ControlSwitch[],
  onProgress: (progress: LabProgress) => void,
  signal: AbortSignal,
  only?: ControlSwitch[],
): Promise<LabProgress> {
  let progress = NO_PROGRESS;
  let reportedAt = Number.NEGATIVE_INFINITY;
  for await (const event of streamAssessment(
    { target: { lab: { off } }, keep: false, ...(only && { only }) },
    signal,
  )) {
    if (event.type === 'started') progress = { ...progress, total: event.total };
    else if (event.type === 'finished')
      progress = { ...progress, summary: event.summary, durationMs: event.duration_ms };
    else if (event.type === 'finding')
      progress = { ...progress, done: event.done, findings: [...progress.findings, buildFinding(event)] };
    if (event.type === 'finding' && performance.now() < reportedAt + REPORT_STEP) continue;
    reportedAt = performance.now();
    onProgress(progress);
  }
  return progress;
}

function buildFinding({ control, verdict, reason, exchanges }: Extract<AssessmentLine, { type: 'finding' }>): Finding {
  const buildExchange = ({ tokens, ...exchange }: (typeof exchanges)[number]): Exchange => ({
    ...exchange,
    ...(tokens === undefined ? {} : { tokens }),
  });
  return { control, verdict: { kind: verdict, reason }, exchanges: exchanges.map(buildExchange), durationMs: 0 };
}

/**
 * Runs attacks against the lab with some switches off, all in parallel.
 * @throws CallError on failure; errors of `fetch` if `signal` is aborted
 */
export async function playAttacks(
  replays: readonly { id: string }[],
  off: ControlSwitch[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReplayReport>> {
  const play = async ({ id }: { id: string }) =>
    [id, (await call(playReplay, { params: { replay: id }, body: { off }, signal })).value] as const;
  return new Map(await Promise.all(replays.map(play)));
}
