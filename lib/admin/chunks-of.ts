import { setImmediate } from 'node:timers/promises';

/** How many rows are read in one turn of the event loop: enough to be quick, few enough not to be felt. */
const CHUNK = 500;

/** The same where each row is looked up in the counters as well: what is made for a row is dropped before it ages. */
export const COUNTED_CHUNK = 100;

/**
 * A list to its end, chunk by chunk, with a turn of the event loop for others in between.
 * @param read answers at most `limit` rows that come after the given one
 * @param size rows in a chunk
 */
export async function* chunksOf<T>(
  read: (after: T | undefined, limit: number) => Promise<readonly T[]>,
  size = CHUNK,
): AsyncGenerator<readonly T[]> {
  let last: T | undefined;
  for (;;) {
    const rows = await read(last, size);
    yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
    await setImmediate();
  }
}
