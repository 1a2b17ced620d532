import { PUBLISH_SCRIPT } from '@/lib/counters/redis/change-scripts';
import type { RedisConnection } from '@/lib/counters/redis/connection';
import { parseStoredRevision } from '@/lib/counters/redis/revision-log';
import type { Millis } from '@/lib/units';

/** All keys carry one hash tag, so that one shard of a cluster has them all. */
export const PREFIX = 'sluice:{c}:';
export const REVISION_KEY = 'sluice:{c}epoch';
/** What a reset has cleared. */
export const keptKey = (seq: number) => `sluice:{c}kept:${seq}`;
/** Says that an attempt was refunded. */
export const refundKey = (id: string) => `sluice:{c}refund:${id}`;
/** The mark of a counter that permits were taken of, see `TAKE_SCRIPT`. */
export const markKey = (key: string) => `sluice:{c}mark:${key}`;
const STORE_ID_KEY = 'sluice:{c}home';
/** Outlives the pauses of a service that is used once a month; each group renews it. */
export const LONG_TTL: Millis = 32 * 86_400_000;

/** Scans for the names of counters whose keys begin with a prefix, in steps. A name may come twice. */
export function scanNames(connection: RedisConnection, prefix: string): AsyncGenerator<string[]> {
  return connection.scan(`${(PREFIX + prefix).replace(/[\\*?[\]]/g, '\\$&')}*`);
}

/** The id that marks a Redis as the store of an installation's counters, null where there is none. */
export async function readStoreId(connection: RedisConnection): Promise<string | null> {
  const id = await connection.command('get', [STORE_ID_KEY]);
  return typeof id === 'string' ? id : null;
}

export async function writeStoreId(connection: RedisConnection, id: string): Promise<void> {
  await connection.command('set', [STORE_ID_KEY, id, 'PX', LONG_TTL]);
}

/** The installation whose revision a Redis holds, null where it holds none. */
export async function readInstallation(connection: RedisConnection): Promise<string | null> {
  const text = await connection.command('get', [REVISION_KEY]);
  return typeof text === 'string' ? (parseStoredRevision(text)?.installation ?? null) : null;
}

/** See `PUBLISH_SCRIPT`. */
export async function publishRevision(
  connection: RedisConnection,
  revision: number,
  installation: string,
): Promise<void> {
  await connection.run(PUBLISH_SCRIPT, [REVISION_KEY], [revision, LONG_TTL, installation]);
}
