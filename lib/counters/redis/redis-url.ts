import type { RedisOptions } from 'ioredis';

/** The text is no address of a Redis server. `message` continues a sentence that starts with the variable's name. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
}

const CLUSTER = /^(rediss?)\+cluster:\/\/(?:([^@/]*)@)?([^/?]+)\/?$/;
const SENTINEL = /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^/?]*))?(?:\/([^/?]*))?(?:\?(.*))?$/;

/**
 * Parses an address of Redis:
 *
 * - `redis://[[user]:password@]host[:port][/database]`, `rediss://` for TLS.
 * - `/path/to.sock` or `unix://[[user]:password@localhost]/path/to.sock[?db=1]`.
 * - `redis+sentinel://[[user]:password@]host[:port][,host[:port]...]/master-name[/database]`, `rediss+sentinel://` for
 * TLS to both. `?sentinel_username=` and `?sentinel_password=` are the sentinels' own credentials.
 * - `redis+cluster://[[user]:password@]host[:port][,host[:port]...]`, `rediss+cluster://` for TLS. The result is for
 * the first host.
 * @throws RedisUrlError
 */
export function parseRedisUrl(address: string): RedisOptions {
  if (address.startsWith('/')) return { path: address };
  if (/^rediss?\+sentinel:/.test(address)) return parseSentinelUrl(address);
  if (/^rediss?\+cluster:/.test(address)) return parseClusterUrl(address);
  if (!URL.canParse(address)) throw new RedisUrlError('is not a URL');
  const url = new URL(address);
  const credentials = buildCredentials(url.username, url.password);
  if (url.protocol === 'unix:') {
    if (url.pathname.length < 2) throw new RedisUrlError('names no socket');
    return { path: decodeURIComponent(url.pathname), db: parseDatabase(url.searchParams.get('db')), ...credentials };
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw new RedisUrlError(
      'must be redis://, rediss://, redis+cluster://, redis+sentinel://, https:// or the path of a unix socket',
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new RedisUrlError('names no host');
  return {
    host,
    port: url.port === '' ? 6379 : Number(url.port),
    db: parseDatabase(url.pathname.slice(1) || url.searchParams.get('db')),
    ...credentials,
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/**
 * Lists the nodes in the address of a cluster. Each node knows the others. Returns null for any other address. One
 * node, or the endpoint of a managed cluster, can also be given as a single server, which then reports that it is a
 * cluster.
 * @throws RedisUrlError
 */
export function parseClusterNodes(address: string): { host: string; port: number }[] | null {
  if (!/^rediss?\+cluster:/.test(address)) return null;
  const [, , , hosts = ''] = CLUSTER.exec(address) ?? [];
  if (hosts === '') throw new RedisUrlError('must name nodes of the cluster, as in redis+cluster://host:6379');
  return hosts.split(',').map((host) => parseHostAndPort(host, 'a node', 6379));
}

function parseClusterUrl(address: string): RedisOptions {
  const [first] = parseClusterNodes(address) ?? [];
  const [, scheme, userinfo = ''] = CLUSTER.exec(address) ?? [];
  const colon = userinfo.indexOf(':');
  return {
    ...first,
    db: 0,
    ...buildCredentials(colon < 0 ? '' : userinfo.slice(0, colon), userinfo.slice(colon + 1)),
    ...(scheme === 'rediss' ? { tls: {} } : {}),
  };
}

/**
 * Parses the two schemes of Sentinel. `URL` cannot parse them, because they name several hosts. See `parseRedisUrl`.
 */
function parseSentinelUrl(address: string): RedisOptions {
  const [, scheme, userinfo = '', hosts = '', name = '', db, query = ''] = SENTINEL.exec(address) ?? [];
  if (hosts === '' || name === '')
    throw new RedisUrlError('must name the sentinels and the master, as in redis+sentinel://host:26379/mymaster');
  const colon = userinfo.indexOf(':');
  const parameters = new URLSearchParams(query);
  const sentinelUsername = parameters.get('sentinel_username');
  const sentinelPassword = parameters.get('sentinel_password');
  return {
    sentinels: hosts.split(',').map((host) => parseHostAndPort(host, 'a sentinel', 26_379)),
    name: decodeText(name),
    db: parseDatabase(db ?? null),
    ...buildCredentials(colon < 0 ? '' : userinfo.slice(0, colon), userinfo.slice(colon + 1)),
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(scheme === 'rediss' ? { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  };
}

function parseHostAndPort(text: string, what: string, usualPort: number): { host: string; port: number } {
  const [, bracketed, host, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const name = bracketed ?? host;
  if (name === undefined) throw new RedisUrlError(`names ${what} that is not host:port`);
  return { host: name, port: Number(port ?? usualPort) };
}

function parseDatabase(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^\d{1,5}$/.test(text)) throw new RedisUrlError('names a database that is not a number');
  return Number(text);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisUrlError('has a percent sign that encodes nothing');
  }
}

function buildCredentials(username: string, password: string): RedisOptions {
  return {
    ...(username === '' ? {} : { username: decodeText(username) }),
    ...(password === '' ? {} : { password: decodeText(password) }),
  };
}
