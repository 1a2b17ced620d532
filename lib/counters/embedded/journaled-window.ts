import type { OlderSlots } from '@/lib/limiter/older-slots';
import type { Seconds } from '@/lib/units';

/** Position of a window that is no longer cached. */
export const FORGOTTEN = -1;

/** Place of a window that is not packed. */
export const UNPACKED = -1;

/**
 * The newest journaled state of a sliding window. It is changed in place, because a new object for each decision would
 * be garbage.
 */
export class JournaledWindow {
  readonly kind = 'sliding';

  /**
   * @param position position of the journal's row; 0 if the state was read from the tables
   * @param packed place in `PackedWindows` whose copy this is, for the current event-loop turn; `UNPACKED` if it is the
   * window itself
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
