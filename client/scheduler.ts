import type { Clock } from '@/client/clock';

/**
 * Cloudflare Workers bind every request and timer to the request being served, so a check must not wait for one that
 * another check started.
 */
export const IN_ONE_REQUEST_ONLY: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * Runs an action after the checks of this event-loop turn were added: at the end of the current task, unless the
 * platform can first read everything that arrived at the same time.
 * @param delay milliseconds to wait instead
 * @param afterInput runs an action once the platform has read all pending input
 */
export function createScheduler(
  clock: Clock,
  delay: number | undefined,
  afterInput: ((action: () => void) => unknown) | undefined,
): (action: () => void) => void {
  if (delay !== undefined && delay > 0) return (action) => void clock.after(delay, action);
  if (afterInput !== undefined && !IN_ONE_REQUEST_ONLY) return (action) => void afterInput(action);
  // Browsers and workers require the call without a receiver.
  return (action) => queueMicrotask(action);
}
