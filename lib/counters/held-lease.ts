import type { Slice } from '@/lib/counters/store';
import { computeSlot, computeSlotStart } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/**
 * Time in which permits may be spent. With the time until the next `sweep`, no instance holds them longer than a
 * second.
 */
export const LEASE_LIFE: Millis = 900;
/** Factor by which the store's clock may run faster than ours. Daemons slew a clock by up to a twelfth. */
const FASTER = 1.125;

/** Permits of one counter that this instance may spend. */
export interface HeldLease {
  left: number;
  /** Count of the window when they were taken. */
  used: number;
  mark: string;
  revision: number;
  limit: number;
  slot: number;
  /** The store's time when they were taken, and the end of that slot. */
  now: Millis;
  end: Millis;
  /** Our clocks before the call of the store. */
  sentAt: Millis;
  sentWall: Millis;
}

/** The meter that permits were requested for, and our clocks before the call. */
interface LeaseRequest {
  revision: number;
  limit: number;
  monotonic: Millis;
  wall: Millis;
}

export function createHeldLease(
  { permits, used, mark, now }: Slice,
  seconds: Seconds,
  { revision, limit, monotonic, wall }: LeaseRequest,
): HeldLease {
  const slot = computeSlot(now, seconds);
  const end = computeSlotStart(slot + 1, seconds);
  return { left: permits, used, mark, revision, limit, slot, now, end, sentAt: monotonic, sentWall: wall };
}

/** Returns the latest time that the store's clock can show, or null if the permits may have expired. */
export function estimateStoreTime(
  { now, end, sentAt, sentWall }: HeldLease,
  monotonic: Millis,
  wall: Millis,
): Millis | null {
  const elapsed = Math.max(monotonic - sentAt, wall - sentWall);
  // The store's time has whole milliseconds.
  return elapsed < LEASE_LIFE && now + elapsed * FASTER + 1 < end ? now + elapsed : null;
}
