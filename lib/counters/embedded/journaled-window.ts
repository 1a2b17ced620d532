import type { OlderSlots } from '@/lib/limiter/older-slots';
import type { Seconds } from '@/lib/units';

/** The position of a window that is not cached any more. */
export const FORGOTTEN = -1;

/** Where a window is packed that is not packed. */
export const UNPACKED = -1;

/**
 * The newest journaled state of a sliding window. It is changed in place: a new object for each decision would be garbage
 * to collect.
 */
export class JournaledWindow {
  readonly kind = 'sliding';

  /**
   * @param position of the journal's row; 0 if the tables have this state
   * @param packed place in `PackedWindows`, of which this is a copy for the current event-loop turn; `UNPACKED` if this
   * object is the window itself
   */
  constructor(
    public newest: number,
    public latest: number,
    public older: OlderSlots,
    public seconds: Seconds,
    public position: number,
    public packed: number,
  ) {}
}
