import type { CounterPlace } from '@/lib/counters/home';
import { RedisConnection } from '@/lib/counters/redis/connection';
import { readHome, readInstallation } from '@/lib/counters/redis/keys';
import { redisName } from '@/lib/counters/redis/redis-name';
import { StoreUnavailable } from '@/lib/counters/store';
import type { CounterShelf } from '@/lib/counters/transfer/counter-shelf';
import { fileShelf } from '@/lib/counters/transfer/file-shelf';
import { redisShelf } from '@/lib/counters/transfer/redis-shelf';
import { serverShelf } from '@/lib/counters/transfer/server-shelf';
import type { Database } from '@/lib/db/database';

/** A store's counters, and what they are on. */
export interface OpenedShelf {
  /** Its `id` is what the Redis is marked with now. */
  place: CounterPlace;
  shelf: CounterShelf;
  /** Null where the counters are in the database. */
  connection: RedisConnection | null;
  /** Of Redis: the installation whose revision it holds. */
  installation: string | null;
  close(): void;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** A step of a copy may take longer than a decision. */
const COMMAND_TIMEOUT = 30_000;

/**
 * Opens the counters in the database, or in the Redis at an address.
 * @throws RedisUrlError, RedisUnsupported; StoreUnavailable when Redis is down
 */
export async function openShelf(
  { client }: Pick<Database, 'client'>,
  at: 'embedded' | 'remote' | { redisUrl: string },
): Promise<OpenedShelf> {
  if (typeof at === 'string') {
    return {
      place: { store: at, address: null, id: null },
      shelf: at === 'embedded' ? fileShelf(client) : serverShelf(client),
      ...{ connection: null, installation: null },
      close: () => undefined,
    };
  }
  const connection = new RedisConnection({ url: at.redisUrl, logger: QUIET, commandTimeout: COMMAND_TIMEOUT });
  const address = redisName(at.redisUrl);
  try {
    if (!(await connection.open())) throw new StoreUnavailable(`Redis at ${address} is down.`);
    return {
      place: { store: 'redis', address, id: await readHome(connection) },
      shelf: redisShelf(connection),
      connection,
      installation: await readInstallation(connection),
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
