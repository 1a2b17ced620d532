import { parseClusterNodes, parseRedisUrl } from '@/lib/counters/redis/redis-url';
import { parseRestEndpoint } from '@/lib/counters/redis/rest-endpoint';

/** Names the target of a Redis address without credentials, for people and for comparisons. @throws RedisUrlError */
export function formatRedisName(address: string): string {
  const endpoint = parseRestEndpoint(address);
  if (endpoint !== null) return endpoint.url;
  const { path, host, port, db = 0, name, sentinels, tls } = parseRedisUrl(address);
  const scheme = tls === undefined ? 'redis' : 'rediss';
  const list = (nodes: readonly { host?: string; port?: number }[]) =>
    nodes.map((node) => `${node.host}:${node.port}`).join(',');
  const nodes = parseClusterNodes(address);
  if (nodes !== null) return `${scheme}+cluster://${list(nodes)}`;
  if (path !== undefined) return db === 0 ? path : `unix://${path}?db=${db}`;
  if (sentinels != null) return `${scheme}+sentinel://${list(sentinels)}/${name}/${db}`;
  return `${scheme}://${list([{ host: host ?? '', port: port ?? 6379 }])}/${db}`;
}
