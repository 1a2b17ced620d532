import type { Limited } from '@/client/adapters/limit-request';

/**
 * Calls `ended` when a handler has responded. A request that may hold places ends when its body was read to the end, or
 * its client has left.
 */
export function endWithBody(response: Response, { ended, mayHoldPlaces }: Limited): Response {
  const { body, status } = response;
  if (ended === null) return response;
  if (body === null || !mayHoldPlaces) {
    ended(status);
    return response;
  }
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        ended(status);
        controller.close();
      } catch (error) {
        ended(null);
        controller.error(error);
      }
    },
    cancel(reason) {
      ended(null);
      return reader.cancel(reason);
    },
  };
  // Nothing is read before the client reads.
  const watched = new ReadableStream(source, { highWaterMark: 0 });
  return new Response(watched, response);
}
