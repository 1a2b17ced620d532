import type { Clock } from '@/client/clock';

/**
 * Cloudflare Workers tie every request that is made, and every timer, to the request that is being served: a check of one must
 * not wait for what another has sent or set.
 */
export const IN_ONE_REQUEST_ONLY: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * Runs an action when the checks of this turn of the event loop have been asked: after everything that arrived at the same
 * time has been read, where the platform can tell (Node, Deno, Bun), else at the end of the running task.
 * @param delay milliseconds to wait instead
 */
export function scheduler(clock: Clock, delay: number | undefined): (action: () => void) => void {
  if (delay !== undefined && delay > 0) return (action) => void clock.after(delay, action);
  if (typeof setImmediate === 'function' && !IN_ONE_REQUEST_ONLY) return (action) => void setImmediate(action);
  // Browsers and workers insist on being called without an object.
  return (action) => queueMicrotask(action);
}
