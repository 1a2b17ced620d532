import { CallError, readError } from '@/components/call';
import { AssessmentEventSchema, type AssessmentLine, startAssessment } from '@/lib/contract/assessments';
import type { CallInput } from '@/lib/contract/operation';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Finding } from '@/lib/oauth/assessment/run';

interface AssessmentCall {
  body: CallInput<typeof startAssessment>['body'];
}

/** An assessment to run, with the name and issuer of its target. */
export type AssessmentOrder = AssessmentCall & { name: string; issuer: string };

type AssessmentSummary = Extract<AssessmentLine, { type: 'finished' }>['summary'];

export interface AssessmentProgress {
  done: number;
  total: number;
  findings: readonly Finding[];
  /** Once it has finished. */
  summary: AssessmentSummary | null;
  /** Milliseconds, once it has finished. */
  durationMs: number | null;
}

/** Before the first event. */
export const NO_PROGRESS: AssessmentProgress = { done: 0, total: 0, findings: [], summary: null, durationMs: null };

/**
 * Runs an assessment on the server and reports progress for each event; returns the last.
 * @throws CallError, and whatever `fetch` throws when `signal` is aborted
 */
export async function requestAssessment(
  { body }: AssessmentCall,
  onProgress: (progress: AssessmentProgress) => void,
  signal: AbortSignal,
): Promise<AssessmentProgress> {
  const response = await fetch(startAssessment.path, {
    method: startAssessment.method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson, application/json' },
    body: JSON.stringify(body),
    credentials: 'same-origin',
    signal,
  });
  if (!response.ok || response.body === null) throw await readError(response);
  let progress = NO_PROGRESS;
  for await (const event of readEvents(response.body)) {
    if (event.type === 'started') progress = { ...progress, total: event.total };
    else if (event.type === 'finished')
      progress = { ...progress, summary: event.summary, durationMs: event.duration_ms };
    else if (event.type === 'stopped')
      throw new CallError({ status: 0, error: event.error, description: event.error_description });
    else if (event.type === 'finding') {
      const { control, verdict: kind, reason, exchanges, done } = event;
      const finding: Finding = {
        control,
        verdict: { kind, reason },
        exchanges: exchanges.map(toExchange),
        durationMs: 0,
      };
      progress = { ...progress, done, findings: [...progress.findings, finding] };
    }
    onProgress(progress);
  }
  if (progress.durationMs !== null) return progress;
  throw new CallError({ status: 0, error: 'unreachable', description: 'The assessment ended before it was complete.' });
}

type StreamedExchange = Extract<AssessmentLine, { type: 'finding' }>['exchanges'][number];

function toExchange({ tokens, ...exchange }: StreamedExchange): Exchange {
  return { ...exchange, ...(tokens === undefined ? {} : { tokens }) };
}

async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<AssessmentLine> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield AssessmentEventSchema.parse(JSON.parse(line));
    if (done) return;
  }
}

export function AssessmentProgressBar({ progress, running }: { progress: AssessmentProgress; running: boolean }) {
  const { done, total, durationMs } = progress;
  const percent = (100 * done) / (total || 1);
  const end = durationMs === null ? 'not finished' : `${total} controls in ${(durationMs / 1000).toFixed(1)} s`;
  return (
    <div className="flex min-w-40 items-center gap-2 text-xs text-muted-foreground tabular-nums">
      <progress className="sr-only" aria-label="Progress of the assessment" value={done} max={total || 1} />
      {running ? (
        <span aria-hidden className="h-1.5 w-24 overflow-hidden rounded-full bg-foreground/10">
          <span className="block h-full bg-primary transition-[width]" style={{ width: `${percent}%` }} />
        </span>
      ) : null}
      <span>{running ? `${done} of ${total || '…'} controls` : end}</span>
    </div>
  );
}
