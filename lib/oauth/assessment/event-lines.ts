import type { AssessmentEvent } from '@/lib/oauth/assessment/run';

/**
 * The progress of an assessment as lines of JSON (`application/x-ndjson`), one event a line, for a page that shows it as it
 * goes. The assessment is as fast as its reader, and ends when the reader goes away.
 */
export function eventLines(events: AsyncGenerator<AssessmentEvent, unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    async cancel() {
      await events.return(undefined);
    },
  });
}
