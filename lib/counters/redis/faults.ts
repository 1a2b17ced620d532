import { StoreUnavailable } from '@/lib/counters/store';

/** Sentences by the first word of a server error. */
const REPLIES: Record<string, string> = {
  LOADING: 'Redis is still loading its data.',
  READONLY: 'Redis is a replica and cannot be written.',
  OOM: 'Redis has no memory left (maxmemory).',
  MISCONF: 'Redis does not write while it cannot save.',
  NOREPLICAS: 'Redis does not write without its replicas.',
  MASTERDOWN: 'Redis is a replica that has lost its master.',
  BUSY: 'Redis is busy with a script.',
  MOVED: 'The shard of the counters in the Redis Cluster is not known yet.',
  ASK: 'The Redis Cluster is moving the counters to another shard.',
  TRYAGAIN: 'The Redis Cluster is moving the counters to another shard.',
  CLUSTERDOWN: 'The Redis Cluster does not serve the slot of the counters.',
  NOAUTH: 'Redis requires a password.',
  WRONGPASS: 'Redis rejects the user or the password.',
  NOPERM: 'The Redis user may not do this.',
  // Over HTTP.
  Unauthorized: 'Redis rejects the token.',
};

/** This server cannot keep counters. `message` is a sentence for the operator. */
export class RedisUnsupported extends Error {
  override readonly name = 'RedisUnsupported';
}

/** Removes the command from a driver error before it is logged. It can hold a password, and all keys of a group. */
export function removeCommand<T>(error: T): T {
  if (error instanceof Error) Reflect.deleteProperty(error, 'command');
  return error;
}

/** Converts any fault of a call to a fault of the store, with a sentence for the operator. */
export function convertRedisFault(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  removeCommand(error);
  if (error instanceof RedisUnsupported) return new StoreUnavailable(error.message, { cause: error });
  const { message = '', name = '' } = error instanceof Error ? error : {};
  // After too many redirections, the driver's message contains the last of them.
  const reply = message.replace(/^Too many Cluster redirections\. Last error: (?:\w+: )?/, '');
  const refused = name === 'ReplyError' ? 'Redis refused a command.' : 'Redis is down.';
  return new StoreUnavailable(REPLIES[reply.split(' ', 1)[0] ?? ''] ?? refused, { cause: error });
}

/** Returns whether a reply of INFO comes from a cluster's node. */
export function isClusterNode(info: string): boolean {
  return /^(?:cluster_enabled:1|redis_mode:cluster)\s*$/m.test(info);
}

/**
 * Checks the version of a server, because scripts, hashes and expiry rely on it.
 * @param info the reply of INFO; a server that hides its version is accepted
 * @throws RedisUnsupported if the server is older than 6.2
 */
export function checkServer(info: string): void {
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  const isOlder = Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2);
  if (isOlder)
    throw new RedisUnsupported(`REDIS_URL leads to Redis ${major}.${minor}; version 6.2 or later is needed.`);
}
