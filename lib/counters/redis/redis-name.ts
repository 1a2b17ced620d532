import { clusterNodes, redisConnection } from '@/lib/counters/redis/redis-url';
import { restEndpoint } from '@/lib/counters/redis/rest-endpoint';

/** Names the target of a Redis address without credentials, for people and for comparisons. @throws RedisUrlError */
export function redisName(address: string): string {
  const endpoint = restEndpoint(address);
  if (endpoint !== null) return endpoint.url;
  const { path, host, port, db = 0, name, sentinels, tls } = redisConnection(address);
  const scheme = tls === undefined ? 'redis' : 'rediss';
  const list = (nodes: readonly { host?: string; port?: number }[]) =>
    nodes.map((node) => `${node.host}:${node.port}`).join(',');
  const nodes = clusterNodes(address);
  if (nodes !== null) return `${scheme}+cluster://${list(nodes)}`;
  if (path !== undefined) return db === 0 ? path : `unix://${path}?db=${db}`;
  if (sentinels != null) return `${scheme}+sentinel://${list(sentinels)}/${name}/${db}`;
  return `${scheme}://${list([{ host: host ?? '', port: port ?? 6379 }])}/${db}`;
}
