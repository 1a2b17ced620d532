import { useSyncExternalStore } from 'react';

/** State of the connection to the server. If it is lost, a single loop polls, no matter how many calls have failed. */
interface Reach {
  lost: boolean;
  /** Path of the page that opens once the server is back. */
  waiting: string | null;
}

const THERE: Reach = { lost: false, waiting: null };
let state: Reach = THERE;
let timer: ReturnType<typeof setTimeout> | undefined;
/**
 * Polling delay in milliseconds. It doubles if a loss follows another within `CALM`, and grows with each failed poll.
 */
let delay = 1_000;
let lastLoss = 0;
const listeners = new Set<() => void>();

const MOST_DELAY = 8_000;
const CALM = 30_000;

function setReach(next: Reach): void {
  state = next;
  for (const listener of listeners) listener();
}

/** True if a proxy answered for a server that is down. Sluice's own answers carry a request id. */
export function isOutage(response: Response): boolean {
  return [502, 503, 504].includes(response.status) && !response.headers.has('x-request-id');
}

/** Starts polling. Call it when a request gets no answer. */
export function reportLoss(): void {
  if (state.lost) return;
  const now = Date.now();
  delay = now - lastLoss > CALM ? 1_000 : Math.min(delay * 2, MOST_DELAY);
  lastLoss = now;
  setReach({ ...state, lost: true });
  timer = setTimeout(ask, delay);
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  try {
    const response = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5_000) });
    if (!isOutage(response)) return setReach(THERE);
  } catch {
    // The server is still down; the code below schedules the next poll.
  }
  delay = Math.min(delay * 1.5, MOST_DELAY);
  timer = setTimeout(ask, delay);
}

/** Resolves when the server is back. `page` is the path that is waiting for it. */
export function waitUntilBack(page: string): Promise<void> {
  if (!state.lost) return Promise.resolve();
  setReach({ ...state, waiting: page });
  return new Promise((resolve) => {
    const unsubscribe = watchReach(({ lost }) => {
      if (lost) return;
      unsubscribe();
      resolve();
    });
  });
}

/** Calls `listener` on every change. Returns a function that unsubscribes. */
export function watchReach(listener: (reach: Reach) => void): () => void {
  const call = () => listener(state);
  listeners.add(call);
  return () => listeners.delete(call);
}

/** Reports a loss when the browser goes offline. Polls at once when the browser is online again. */
export function watchBrowser(): () => void {
  const handleOnline = () => {
    if (state.lost) void ask();
  };
  addEventListener('offline', reportLoss);
  addEventListener('online', handleOnline);
  return () => {
    removeEventListener('offline', reportLoss);
    removeEventListener('online', handleOnline);
  };
}

export function useReach(): Reach {
  return useSyncExternalStore(
    watchReach,
    () => state,
    () => THERE,
  );
}
