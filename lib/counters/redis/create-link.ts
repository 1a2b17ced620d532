import type { RedisLink, RedisLinkOptions } from '@/lib/counters/redis/link';
import { parseRestEndpoint } from '@/lib/counters/redis/rest-endpoint';
import { ThawingLink } from '@/lib/counters/redis/thawing-link';

/**
 * Creates the link for an address: HTTP for http:// and https://, otherwise a socket. Loads only the client that it
 * needs. @throws RedisUrlError
 */
export async function createLink(options: RedisLinkOptions): Promise<RedisLink> {
  if (options.canFreeze !== true) return openLink(options);
  // A connection that was closed while the process was frozen is no outage. A call that fails is one, and is logged.
  const { error } = options.logger;
  const logger = { info: () => undefined, warn: () => undefined, error: error.bind(options.logger) };
  return new ThawingLink(await openLink({ ...options, logger }), () => performance.now());
}

async function openLink(options: RedisLinkOptions): Promise<RedisLink> {
  const endpoint = parseRestEndpoint(options.url);
  if (endpoint === null) {
    const { RedisConnection } = await import('@/lib/counters/redis/connection');
    return new RedisConnection(options);
  }
  const { RestConnection } = await import('@/lib/counters/redis/rest-connection');
  return new RestConnection(endpoint, options);
}
