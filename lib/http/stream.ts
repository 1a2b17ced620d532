import { ReadableStream as NodeReadableStream } from 'node:stream/web';

/** `ReadableStream.from` (WHATWG Streams, section 4.2.2): nothing is asked of `chunks` that the reader has not taken. */
export function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream {
  return NodeReadableStream.from(chunks) as ReadableStream;
}

/** One server-sent event (HTML Living Standard, section 9.2), or a heartbeat. */
export type ServerEvent = { id: string; event: string; data: unknown } | 'heartbeat';

/**
 * A response of server-sent events. `events` is read only as fast as the client takes them; `stop` is aborted when the
 * client goes away. `ReadableStream.from` would wait for the next event before it ends an iterator.
 */
export function eventStream(events: AsyncIterable<ServerEvent>, stop: AbortController): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // In milliseconds: how long a client waits before it connects again.
        controller.enqueue(encoder.encode('retry: 2000\n: open\n\n'));
      },
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(eventText(next.value)));
      },
      async cancel() {
        stop.abort();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

function eventText(event: ServerEvent): string {
  if (event === 'heartbeat') return ': heartbeat\n\n';
  // JSON has no line break outside of its escapes, so one data line is enough.
  return `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
