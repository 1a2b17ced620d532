import type { Database } from '@/lib/db/database';

/** How far the audit log goes, which is the revision of the rules. */
export interface AuditHead {
  /** The number of the newest record; 0 when there is none. */
  newest: number;
  /** The hash of the record that was asked for; null when there is none with that number. */
  hash: string | null;
}

/**
 * Reads from the primary, never from a replica that lags: whoever has seen a revision anywhere can rely on it that a
 * lower answer means that the database itself has gone back.
 * @param seq the record whose hash is wanted
 * @throws Error of the driver
 */
export async function auditHead({ client }: Pick<Database, 'client'>, seq = 0): Promise<AuditHead> {
  const sql = 'select coalesce(max(seq), 0) as newest, (select hash from audit where seq = ?) as hash from audit';
  const [result] = await client.batch([{ sql, args: [seq] }], 'write');
  const row = result?.rows[0];
  return { newest: Number(row?.newest ?? 0), hash: typeof row?.hash === 'string' ? row.hash : null };
}
