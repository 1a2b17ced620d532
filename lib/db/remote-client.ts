import type { Client, InArgs, InStatement, ResultSet } from '@libsql/client';
// The client without the driver of embedded files, which a function on a platform does not load.
import { createClient } from '@libsql/client/web';
import { createBoundedFetch } from '@/lib/bounded-fetch';
import { convertBigInts } from '@/lib/db/cells-result';
import { BUSY_DEADLINE, type EmbeddedClientOptions, isReading } from '@/lib/db/embedded-client';
import { limitRequests } from '@/lib/db/limit-requests';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { createThawingFetch } from '@/lib/db/thawing-fetch';
import type { Millis } from '@/lib/units';

/** Longest request to the server. Migrations of large tables take long. */
const REQUEST_TIME: Millis = 60_000;
/** Most bytes of an answer. sqld sends at most 10 MB by default. */
const MOST_READ = 67_108_864;

export interface RemoteClientOptions extends Pick<EmbeddedClientOptions, 'monotonic' | 'wait' | 'random'> {
  url: string;
  authToken?: string | undefined;
  /** True if the platform freezes this process between requests. See `ThawCheck`. */
  canFreeze?: boolean;
  /** Longest request, one minute by default. */
  requestTime?: Millis;
}

interface RemoteClient {
  client: Client;
  /** Runs the statements as if `writes` had run before, and rolls back both. */
  runAndRollBack(writes: readonly InStatement[], statements: readonly InStatement[]): Promise<ResultSet[]>;
}

/** Opens the client of a libSQL server. */
export function openRemote(options: RemoteClientOptions): RemoteClient {
  const time = options.requestTime ?? REQUEST_TIME;
  const bounded = createBoundedFetch({ peer: 'database server', time, bytes: MOST_READ });
  const send = limitRequests(bounded);
  const client = createClient({
    url: options.url,
    // With numbers, one damaged integer would fail the whole query.
    intMode: 'bigint',
    // `limitRequests` bounds them, and passes requests by that hang.
    concurrency: Number.POSITIVE_INFINITY,
    fetch: options.canFreeze === true ? createThawingFetch(send, options.monotonic) : send,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
  });
  const execute = client.execute.bind(client);
  const batch = client.batch.bind(client);
  const { monotonic, wait, random } = options;
  const retryStatement = <T>(work: () => Promise<T>) => {
    const start = monotonic();
    return retryWhileBusy(work, {
      wait,
      pause: () => 1 + random() * 9,
      isLast: () => monotonic() - start > BUSY_DEADLINE,
    });
  };
  // Drizzle requests a deferred transaction, which can fail when it upgrades to a write. A transaction that met a lock
  // changed nothing, so it can be repeated.
  client.batch = async (statements, mode) => {
    const results = retryStatement(() => batch(statements, mode ?? (statements.every(isReading) ? 'read' : 'write')));
    return (await results).map(convertBigInts);
  };
  client.execute = async (statement: InStatement | string, args?: InArgs) =>
    convertBigInts(await (typeof statement === 'string' ? execute(statement, args) : execute(statement)));
  return {
    client,
    runAndRollBack: (writes, statements) =>
      retryStatement(() => runInRolledBackTransaction(client, writes, statements)),
  };
}

/** Returns the results of `statements` after `writes`, in a transaction that is rolled back. */
async function runInRolledBackTransaction(
  client: Client,
  writes: readonly InStatement[],
  statements: readonly InStatement[],
) {
  const transaction = await client.transaction('write');
  try {
    await transaction.batch([...writes]);
    return (await transaction.batch([...statements])).map(convertBigInts);
  } finally {
    await transaction.rollback().finally(() => transaction.close());
  }
}
