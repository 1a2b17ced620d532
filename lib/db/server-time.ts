import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** SQL of the time of the database server. */
export const SERVER_TIME = `cast(round(unixepoch('subsec') * 1000) as integer)`;

/** Reads the time of the database server. Infinity for an embedded file, which has no clock. */
export async function readServerTime({ client, kind }: Pick<Database, 'client' | 'kind'>): Promise<Millis> {
  if (kind === 'embedded') return Number.POSITIVE_INFINITY;
  const { rows } = await client.execute(`select ${SERVER_TIME}`);
  return Number(rows[0]?.[0]);
}
