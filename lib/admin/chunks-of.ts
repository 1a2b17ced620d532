import { setImmediate } from 'node:timers/promises';

/** How many rows are read in one turn of the event loop: enough to be quick, few enough not to be felt. */
const CHUNK = 500;

/**
 * A list to its end, chunk by chunk, with a turn of the event loop for others in between.
 * @param read answers at most `limit` rows that come after the given one
 */
export async function* chunksOf<T>(
  read: (after: T | undefined, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  let last: T | undefined;
  for (;;) {
    const rows = await read(last, CHUNK);
    yield rows;
    if (rows.length < CHUNK) return;
    last = rows.at(-1);
    await setImmediate();
  }
}
