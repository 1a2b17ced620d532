import type { Attempt, Window } from '@/lib/limiter/meter';
import type { Seconds } from '@/lib/units';

/** A group as `COMMIT_SCRIPT` takes it. */
export interface EncodedGroup {
  /** The counters' keys, each once, in the order of their numbers in the plan. */
  readonly keys: string[];
  readonly plan: string;
}

const MONTH = 0;
const UNLIMITED = -1;

/**
 * Numbers the counters of a group and writes its attempts as a flat list.
 * @throws RangeError for a cost that is not a whole number from 0 to 2^53 - 1, and for a key with two different windows
 */
export function encodeGroup(attempts: readonly Attempt[]): EncodedGroup {
  const keys: string[] = [];
  const windows: Seconds[] = [];
  const numbers = new Map<string, number>();
  const numbered = (key: string, window: Window): number => {
    const seconds = window.kind === 'month' ? MONTH : window.seconds;
    const existing = numbers.get(key);
    if (existing === undefined) {
      keys.push(key);
      windows.push(seconds);
      numbers.set(key, keys.length);
      return keys.length;
    }
    if (windows[existing - 1] !== seconds) throw new RangeError('One key has one window.');
    return existing;
  };
  const body: number[] = [];
  for (const { cost, meters } of attempts) {
    if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
    body.push(cost, meters.length);
    for (const { key, window, limit, unlimited } of meters) {
      body.push(numbered(key, window), unlimited === true ? UNLIMITED : limit);
    }
  }
  return { keys, plan: JSON.stringify([keys.length, ...windows, ...body]) };
}
