import { hostname } from 'node:os';
import type { Database } from '@/lib/db/database';
import { SERVER_TIME } from '@/lib/db/server-time';

/** Interval at which a process renews its entry, in milliseconds. After `MISSED` intervals it counts as dead. */
export const SIGN_OF_LIFE = 20_000;
const MISSED = 3;

const NAME = `'process:' || ?`;

/**
 * Records in a database on a server that a process uses it, because other processes cannot detect that. An embedded
 * file is locked by the processes that have it open.
 */
export async function recordProcess({ client, kind }: Pick<Database, 'client' | 'kind'>, id: string): Promise<void> {
  if (kind === 'embedded') return;
  const sql = `insert into settings (name, value, updated_at, revision) values (${NAME}, json_quote(?), ${SERVER_TIME}, 0)
    on conflict (name) do update set updated_at = excluded.updated_at`;
  const forget = `delete from settings where name like 'process:%' and updated_at < ${SERVER_TIME} - 86400000`;
  await client.batch([{ sql, args: [id, `${hostname()} (process ${process.pid})`] }, forget], 'write');
}

/** Removes the entry of a process when it ends. */
export async function removeProcess({ client, kind }: Pick<Database, 'client' | 'kind'>, id: string): Promise<void> {
  if (kind === 'remote') await client.execute({ sql: `delete from settings where name = ${NAME}`, args: [id] });
}

/** Lists the hosts and processes that use a database on a server. */
export async function listRunningProcesses({ client }: Pick<Database, 'client'>): Promise<string[]> {
  const sql = `select value ->> '$' from settings where name like 'process:%' and updated_at > ${SERVER_TIME} - ?`;
  const { rows } = await client.execute({ sql, args: [SIGN_OF_LIFE * MISSED] });
  return rows.map((row) => String(row[0]));
}
