import type { Limited } from '@/client/adapters/limit-request';

/**
 * Calls `recordEnd` when a handler has responded. A request that may hold places ends when its body was read, or
 * its client has left.
 */
export function endWithBody(response: Response, { recordEnd, mayHoldPlaces }: Limited): Response {
  const { body, status } = response;
  if (recordEnd === null) return response;
  if (body === null || !mayHoldPlaces) {
    recordEnd(status);
    return response;
  }
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        recordEnd(status);
        controller.close();
      } catch (error) {
        recordEnd(null);
        controller.error(error);
      }
    },
    cancel(reason) {
      recordEnd(null);
      return reader.cancel(reason);
    },
  };
  // Nothing is read before the client reads.
  const watched = new ReadableStream(source, { highWaterMark: 0 });
  return new Response(watched, response);
}
