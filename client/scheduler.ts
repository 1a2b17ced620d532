import type { Clock } from '@/client/clock';

/**
 * Cloudflare Workers bind every request and timer to the request being served, so a check must not wait for one that
 * another check started.
 */
export const IN_ONE_REQUEST_ONLY: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * Runs an action after the checks of this event-loop turn were added. Node, Deno and Bun first read everything that
 * arrived at the same time; other platforms run it at the end of the current task.
 * @param delay milliseconds to wait instead
 */
export function scheduler(clock: Clock, delay: number | undefined): (action: () => void) => void {
  if (delay !== undefined && delay > 0) return (action) => void clock.after(delay, action);
  if (typeof setImmediate === 'function' && !IN_ONE_REQUEST_ONLY) return (action) => void setImmediate(action);
  // Browsers and workers require the call without a receiver.
  return (action) => queueMicrotask(action);
}
