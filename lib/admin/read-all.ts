import { setImmediate } from 'node:timers/promises';

/** How many rows are read in one turn of the event loop: enough to be quick, few enough not to be felt. */
const CHUNK = 2_000;

/**
 * Reads a list to its end, chunk by chunk, with a turn of the event loop for others in between.
 * @param read answers at most `limit` rows that come after the given one
 */
export async function readAll<T>(read: (after: T | undefined, limit: number) => Promise<T[]>): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const rows = await read(all.at(-1), CHUNK);
    for (const row of rows) all.push(row);
    if (rows.length < CHUNK) return all;
    await setImmediate();
  }
}
