import { StoreUnavailable } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

/** Creates the fault of a reply that no script or command of ours gives: something else answered for Redis. */
export function createReplyFault(): StoreUnavailable {
  return new StoreUnavailable('Redis did not reply as the script does.');
}

/** Requires the reply of a script that has made its change. @throws StoreUnavailable */
export function requireDone(reply: unknown): void {
  if (reply !== 1) throw createReplyFault();
}

/** Parses the reply of TIME: seconds and microseconds. @throws StoreUnavailable if it is another reply */
export function parseTimeReply(time: unknown): Millis {
  const [seconds, micros]: unknown[] = Array.isArray(time) ? time : [];
  const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  if (!Number.isSafeInteger(now)) throw createReplyFault();
  return now;
}
