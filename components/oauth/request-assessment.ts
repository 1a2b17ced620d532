import { CallError, readError } from '@/components/call';
import { AssessmentEventSchema, type auditLab, type auditServer } from '@/lib/contract/lab';
import type { CallInput } from '@/lib/contract/operation';
import type { AssessmentEvent, Finding } from '@/lib/oauth/assessment/run';

/** An assessment to run: its operation, and what is sent to it. */
export type AssessmentCall =
  | { readonly contract: typeof auditLab; readonly body: CallInput<typeof auditLab>['body'] }
  | { readonly contract: typeof auditServer; readonly body: CallInput<typeof auditServer>['body'] };

/** How far an assessment is. */
export interface AssessmentProgress {
  done: number;
  total: number;
  findings: readonly Finding[];
  /** Milliseconds, once it has finished. */
  durationMs: number | null;
}

/**
 * Runs an assessment on the server, with progress for each event; answers the last.
 * @throws CallError, and whatever `fetch` throws when `signal` is aborted
 */
export async function requestAssessment(
  { contract, body }: AssessmentCall,
  onProgress: (progress: AssessmentProgress) => void,
  signal: AbortSignal,
): Promise<AssessmentProgress> {
  const response = await fetch(contract.path, {
    method: contract.method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson, application/json' },
    body: JSON.stringify(body),
    credentials: 'same-origin',
    signal,
  });
  if (!response.ok || response.body === null) throw await readError(response);
  let progress: AssessmentProgress = { done: 0, total: 0, findings: [], durationMs: null };
  for await (const event of eventsOf(response.body)) {
    progress = advance(progress, event);
    onProgress(progress);
  }
  if (progress.durationMs === null) {
    throw new CallError({
      status: 0,
      error: 'unreachable',
      description: 'The assessment ended before it was complete.',
    });
  }
  return progress;
}

function advance(progress: AssessmentProgress, event: AssessmentEvent): AssessmentProgress {
  switch (event.type) {
    case 'started':
      return { ...progress, total: event.total };
    case 'found':
      return { ...progress, done: event.done, findings: [...progress.findings, event.finding] };
    case 'finished':
      return { ...progress, findings: event.findings, durationMs: event.durationMs };
  }
}

async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<AssessmentEvent> {
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
