import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/**
 * Claims a round for this process, in one statement, unless some process claimed it within the interval. A process that
 * is killed in its round delays the next one by the interval at most. A claim from a wrong clock expires likewise.
 * @param name row in `settings`, after `housekeeping:`
 * @throws DatabaseUnavailable
 */
export async function claimRound(
  { client }: Pick<Database, 'client'>,
  { name, interval, now }: { name: string; interval: Millis; now: Millis },
): Promise<boolean> {
  const sql = `insert into settings (name, value, updated_at, revision) values (?, 'null', ?, 0)
    on conflict (name) do update set updated_at = excluded.updated_at
    where abs(settings.updated_at - excluded.updated_at) >= ?`;
  const { rowsAffected } = await client.execute({ sql, args: [`housekeeping:${name}`, now, interval] });
  return rowsAffected === 1;
}
