import { CallError, readError } from '@/components/api/call';
import { AssessmentEventSchema, type AssessmentLine } from '@/lib/contract/assessment-events';
import { startAssessment } from '@/lib/contract/assessments';
import type { CallInput } from '@/lib/contract/operation';

export type NewAssessment = CallInput<typeof startAssessment>['body'];

/**
 * Starts an assessment and yields its events until it has finished.
 * @throws CallError on failure, also if the stream ends early; errors of `fetch` if `signal` is aborted
 */
export async function* streamAssessment(body: NewAssessment, signal: AbortSignal): AsyncGenerator<AssessmentLine> {
  const response = await request(body, signal);
  if (!response.ok || response.body === null) throw await readError(response);
  for await (const line of readLines(response.body)) {
    const event = AssessmentEventSchema.parse(JSON.parse(line));
    yield event;
    if (event.type === 'finished') return;
    if (event.type === 'stopped') {
      throw new CallError({ status: 500, error: event.error, description: event.error_description });
    }
  }
  throw new CallError({ status: 0, error: 'unreachable', description: 'The assessment ended before it was complete.' });
}

async function request(body: NewAssessment, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(startAssessment.path, {
      method: startAssessment.method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson, application/json' },
      body: JSON.stringify(body),
      credentials: 'same-origin',
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new CallError({ status: 0, error: 'unreachable', description: 'The server could not be reached.' });
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
