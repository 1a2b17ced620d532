import type { Millis } from '@/lib/units';

/**
 * Returns a signal that is aborted with the given signal, or after a time. Its timer keeps it alive. In contrast, Node
 * 20 collects an `AbortSignal.timeout` to which only `AbortSignal.any` refers, and the time never ends.
 */
export function abortAfter(milliseconds: Millis, signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException('The time is over.', 'TimeoutError')), milliseconds).unref();
  return AbortSignal.any([signal, late.signal]);
}
