/** One server-sent event (HTML Living Standard, section 9.2), or a heartbeat. */
export type ServerEvent = { id: string; event: string; data: unknown } | 'heartbeat';

/**
 * Builds a response of server-sent events. Reads `events` only as fast as the client, and aborts `stop` when it
 * disconnects.
 * `ReadableStream.from` does not fit, because it waits for the next event before it ends an iterator.
 */
export function streamEvents(events: AsyncIterable<ServerEvent>, stop: AbortController): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // `retry` is the pause before a client reconnects, in milliseconds.
        controller.enqueue(encoder.encode('retry: 2000\n: open\n\n'));
      },
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(formatEvent(next.value)));
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

function formatEvent(event: ServerEvent): string {
  if (event === 'heartbeat') return ': heartbeat\n\n';
  // JSON escapes line breaks, so one data line is enough.
  return `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
