import { PUBLISH_SCRIPT } from '@/lib/counters/redis/change-scripts';
import type { RedisLink } from '@/lib/counters/redis/link';
import { createReplyFault, requireDone } from '@/lib/counters/redis/replies';
import { parseStoredRevision } from '@/lib/counters/redis/revision-log';
import { DAY, type Millis } from '@/lib/units';

/** Prefix of the counters. All keys carry one hash tag, so that one shard of a cluster holds all of them. */
export const PREFIX = 'sluice:{c}:';
export const REVISION_KEY = 'sluice:{c}epoch';
/** Returns the key of the counters that a reset has cleared. */
export const buildKeptKey = (seq: number) => `sluice:{c}kept:${seq}`;
/** Returns the key that records the settlement of an attempt. */
export const buildSettlementKey = (id: string) => `sluice:{c}refund:${id}`;
/** Returns the key of the mark of a counter with leased permits, see `TAKE_SCRIPT`. */
export const buildMarkKey = (key: string) => `sluice:{c}mark:${key}`;
/** Key of the id that marks a Redis as the store of an installation's counters. */
export const STORE_ID_KEY = 'sluice:{c}home';
/** Expiry that outlives the pauses of a service with monthly use. Each group renews it. */
export const LONG_TTL: Millis = 32 * DAY;

/** Scans for the names of counters whose keys begin with a prefix, in steps. A name can appear twice. */
export function scanNames(connection: RedisLink, prefix: string): AsyncGenerator<string[]> {
  return connection.scan(`${(PREFIX + prefix).replace(/[\\*?[\]]/g, '\\$&')}*`);
}

/** Reads strings. A key of another type counts as missing. @throws StoreUnavailable */
export async function readTexts(connection: RedisLink, keys: readonly string[]): Promise<(string | null)[]> {
  const reply = await connection.runCommand('mget', keys);
  if (!Array.isArray(reply)) throw createReplyFault();
  return keys.map((_, i) => (typeof reply[i] === 'string' ? reply[i] : null));
}

/** Reads the id that marks a Redis as the store of an installation's counters. Returns null if there is none. */
export async function readStoreId(connection: RedisLink): Promise<string | null> {
  return (await readTexts(connection, [STORE_ID_KEY]))[0] ?? null;
}

export async function writeStoreId(connection: RedisLink, id: string): Promise<void> {
  await connection.runCommand('set', [STORE_ID_KEY, id, 'PX', LONG_TTL]);
}

/** Reads the installation whose revision a Redis holds. Returns null if it holds none. */
export async function readInstallation(connection: RedisLink): Promise<string | null> {
  const [text] = await readTexts(connection, [REVISION_KEY]);
  return parseStoredRevision(text ?? '')?.installation ?? null;
}

/** Runs `PUBLISH_SCRIPT`. */
export async function publishRevision(connection: RedisLink, revision: number, installation: string): Promise<void> {
  requireDone(await connection.run(PUBLISH_SCRIPT, [REVISION_KEY], [revision, LONG_TTL, installation]));
}
