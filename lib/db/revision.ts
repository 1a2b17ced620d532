import type { Database } from '@/lib/db/database';

/** The revision of the rules, which is the number of the newest audit record. */
export interface StoredRevision {
  /** 0 without records. */
  newest: number;
  /** The hash of the record `known`; null when there is none. */
  hash: string | null;
}

/**
 * Reads from the primary, never from a replica that lags: a revision below one that was seen before means that the
 * database itself was restored.
 * @param known the number of a record whose hash is wanted
 * @throws Error of the driver
 */
export async function readRevision({ client }: Pick<Database, 'client'>, known = 0): Promise<StoredRevision> {
  const sql = 'select coalesce(max(seq), 0) as newest, (select hash from audit where seq = ?) as hash from audit';
  const [result] = await client.batch([{ sql, args: [known] }], 'write');
  const row = result?.rows[0];
  return { newest: Number(row?.newest ?? 0), hash: typeof row?.hash === 'string' ? row.hash : null };
}
