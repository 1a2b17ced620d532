import { StoreUnavailable } from '@/lib/counters/store';

/** Creates the fault of a reply that no script or command of ours gives: something else answered for Redis. */
export function createReplyFault(): StoreUnavailable {
  return new StoreUnavailable('Redis did not reply as the script does.');
}

/** Requires the reply of a script that has made its change. @throws StoreUnavailable */
export function requireDone(reply: unknown): void {
  if (reply !== 1) throw createReplyFault();
}
