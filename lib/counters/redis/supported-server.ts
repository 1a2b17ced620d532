/** Counters cannot be kept on this server; `message` is a sentence for the operator. */
export class RedisUnsupported extends Error {
  override readonly name = 'RedisUnsupported';
}

/** The oldest supported version: scripts, hashes and expiry rely on it. */
const OLDEST = [6, 2] as const;

/**
 * @param info the reply of INFO; a server that hides its version is accepted
 * @throws RedisUnsupported for a cluster, and for a server that is too old
 */
export function checkServer(info: string): void {
  if (/^(?:cluster_enabled:1|redis_mode:cluster)\s*$/m.test(info)) {
    throw new RedisUnsupported(
      'REDIS_URL leads to a Redis Cluster, which cannot decide a group of requests in one step. Use a single server, or one with replicas and Sentinel.',
    );
  }
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (major !== undefined && minor !== undefined && isOlder(Number(major), Number(minor))) {
    throw new RedisUnsupported(
      `REDIS_URL leads to Redis ${major}.${minor}; version ${OLDEST.join('.')} or later is needed.`,
    );
  }
}

function isOlder(major: number, minor: number): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
