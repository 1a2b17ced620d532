import { setImmediate } from 'node:timers/promises';
import type { Pages } from '@/lib/http/paged-response';

/** How many rows are read in one turn of the event loop: enough to be quick, few enough not to be felt. */
const CHUNK = 500;

/** The same where each row is looked up in the counters as well, which costs as much again. */
export const COUNTED_CHUNK = 100;

/**
 * A list to its end, chunk by chunk, with a turn of the event loop for others in between. Nothing but the last row is
 * held from one chunk to the next.
 * @param read answers at most `limit` rows that come after the given one
 * @param present rows as they leave Sluice
 * @param size rows in a chunk
 */
export function chunksOf<Row, Item>(
  read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
  present: (rows: readonly Row[]) => readonly Item[] | Promise<readonly Item[]>,
  size = CHUNK,
): Pages<Item> {
  let last: Row | undefined;
  let more = true;
  return async () => {
    if (!more) return undefined;
    if (last !== undefined) await setImmediate();
    const rows = await read(last, size);
    last = rows.at(-1);
    more = rows.length === size;
    return present(rows);
  };
}
