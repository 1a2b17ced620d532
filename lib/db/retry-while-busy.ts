import { isBusy } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

export interface RetryOptions {
  wait: (milliseconds: Millis) => Promise<void>;
  /**
   * Returns the pause before the next try, in milliseconds. @param attempt number of failed tries before this one, from
   * 0
   */
  pause: (attempt: number) => Millis;
  /** Returns whether this was the last try. @param attempt as above */
  isLast: (attempt: number) => boolean;
}

/**
 * Repeats work, synchronous or not, while another process holds the write lock of the database.
 * @throws the last busy fault, or any other fault at once
 */
export async function retryWhileBusy<T>(work: () => T | Promise<T>, { wait, pause, isLast }: RetryOptions): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || isLast(attempt)) throw error;
      await wait(pause(attempt));
    }
  }
}
