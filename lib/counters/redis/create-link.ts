import { RedisConnection } from '@/lib/counters/redis/connection';
import type { RedisLink, RedisLinkOptions } from '@/lib/counters/redis/link';
import { RestConnection } from '@/lib/counters/redis/rest-connection';
import { restEndpoint } from '@/lib/counters/redis/rest-endpoint';

/** Creates the link for an address: HTTP for http:// and https://, otherwise a socket. @throws RedisUrlError */
export function createLink(options: RedisLinkOptions): RedisLink {
  const endpoint = restEndpoint(options.url);
  return endpoint === null ? new RedisConnection(options) : new RestConnection(endpoint, options);
}
