import { desc, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { prepareOnce } from '@/lib/db/prepare-once';

/** The hash as text: a record is the newest even if its hash is damaged. */
const HASH = `case when typeof(hash) = 'text' and length(hash) = length(cast(hash as blob)) and hash not glob '*[^ -~]*'
  then hash else hex(hash) end`;
export const recordHash = sql<string>`${sql.raw(HASH)}`;

/**
 * Query for the newest audit record, whose number is the revision of the rules. Returns no row before the first record.
 */
export const newestRevisionQuery = prepareOnce((drizzle) =>
  drizzle.select({ seq: audit.seq, hash: recordHash }).from(audit).orderBy(desc(audit.seq)).limit(1).prepare(),
);

/** Reads the newest audit record. Undefined before the first. @throws Error of the driver */
export async function readNewestRevision(
  database: Pick<Database, 'drizzle'>,
): Promise<{ seq: number; hash: string } | undefined> {
  return (await newestRevisionQuery(database).all()).at(0);
}

/**
 * Reads the newest revision (0 before the first record) from the primary, never from a lagging replica. A number below
 * an earlier one therefore means that the database itself has gone back.
 * @param seq the record whose hash is returned too; the hash is null if the record does not exist
 * @throws Error of the driver
 */
export async function readPrimaryRevision(
  { client }: Pick<Database, 'client'>,
  seq = 0,
): Promise<{ revision: number; hash: string | null }> {
  const sql = `select coalesce(max(seq), 0) as newest, (select ${HASH} from audit where seq = ?) as hash from audit`;
  const [result] = await client.batch([{ sql, args: [seq] }], 'write');
  const row = result?.rows[0];
  return { revision: Number(row?.newest ?? 0), hash: typeof row?.hash === 'string' ? row.hash : null };
}
