import { STEP_END, SWEEP } from '@/lib/counters/remote/statements';
import type { Millis } from '@/lib/units';

/** Runs one statement. @returns its rows' cells and how many rows it changed */
export type Execute = (sql: string, args: (string | number)[]) => Promise<{ rows: unknown[][]; changes: number }>;

/** Rest between two passes, in milliseconds: providers bill by rows read. */
const REST = 60_000;

/** Deletes expired slots without an index for it: a cursor walks along the primary key, and rests after each pass. */
export class RemoteSweep {
  #after: [key: string, slot: number] = ['', -1];
  #resting: Millis | null = null;
  #running = false;

  constructor(
    private readonly execute: Execute,
    private readonly clock: () => Millis,
  ) {}

  /** Looks at up to `budget` rows. @returns how many were deleted @throws StoreUnavailable */
  async run(budget: number): Promise<number> {
    const now = this.clock();
    if (this.#running || (this.#resting !== null && Math.abs(now - this.#resting) < REST)) return 0;
    this.#running = true;
    try {
      const [end] = (await this.execute(STEP_END, [...this.#after, budget])).rows;
      const [key, slot] = end ?? [];
      if (typeof key !== 'string' || typeof slot !== 'number') {
        this.#after = ['', -1];
        this.#resting = now;
        return 0;
      }
      const { changes } = await this.execute(SWEEP, [...this.#after, key, slot]);
      this.#after = [key, slot];
      return changes;
    } finally {
      this.#running = false;
    }
  }
}
