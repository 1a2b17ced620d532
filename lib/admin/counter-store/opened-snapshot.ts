import type { CounterPlace } from '@/lib/counters/active-store';
import { createLink } from '@/lib/counters/redis/create-link';
import { readInstallation, readStoreId } from '@/lib/counters/redis/keys';
import type { RedisLink } from '@/lib/counters/redis/link';
import { formatRedisName } from '@/lib/counters/redis/redis-name';
import { StoreUnavailable } from '@/lib/counters/store';
import type { CounterSnapshot } from '@/lib/counters/transfer/counter-snapshot';
import { openFileSnapshot } from '@/lib/counters/transfer/file-snapshot';
import { openRedisSnapshot } from '@/lib/counters/transfer/redis-snapshot';
import { openServerSnapshot } from '@/lib/counters/transfer/server-snapshot';
import type { Database } from '@/lib/db/database';

/** The counters of a store, and their connection. */
export interface OpenedSnapshot {
  /** Its `id` is the current mark of the Redis. */
  place: CounterPlace;
  snapshot: CounterSnapshot;
  /** Null if the counters are in the database. */
  connection: RedisLink | null;
  /** Installation whose revision the Redis holds. Null for a database. */
  installation: string | null;
  close(): void;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Longer than the timeout of decisions, because a step of a copy takes longer. */
const COMMAND_TIMEOUT = 30_000;

/**
 * Opens the counters in the database, or in the Redis at an address.
 * @throws RedisUrlError, RedisUnsupported; StoreUnavailable when Redis is down
 */
export async function openSnapshot(
  { client }: Pick<Database, 'client'>,
  at: 'embedded' | 'remote' | { redisUrl: string },
): Promise<OpenedSnapshot> {
  if (typeof at === 'string') {
    return {
      place: { store: at, address: null, id: null },
      snapshot: at === 'embedded' ? openFileSnapshot(client) : openServerSnapshot(client),
      ...{ connection: null, installation: null },
      close: () => undefined,
    };
  }
  const connection = await createLink({ url: at.redisUrl, logger: QUIET, commandTimeout: COMMAND_TIMEOUT });
  const address = formatRedisName(at.redisUrl);
  try {
    if (!(await connection.open())) throw new StoreUnavailable(`Redis at ${address} is down.`);
    return {
      place: { store: 'redis', address, id: await readStoreId(connection) },
      snapshot: openRedisSnapshot(connection),
      connection,
      installation: await readInstallation(connection),
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
