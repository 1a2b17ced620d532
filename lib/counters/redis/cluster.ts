import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import type { Millis } from '@/lib/units';

/** Slot of the hash tag that all keys carry, `{c}`: CRC-16 of `c`. One shard serves it. */
export const KEY_SLOT = 7365;

/** Interval at which the client queries the map of slots, in milliseconds. An error triggers a query at once. */
const REFRESH: Millis = 5_000;

interface ClusterLinkOptions {
  /** Nodes that the client queries first. */
  nodes: readonly { host: string; port: number }[];
  /** Options for the connection to each node, without its address. */
  options: RedisOptions;
  /** Returns the pause before the nodes are queried again if none of them answers. */
  pause: (times: number) => Millis;
}

/**
 * Opens a client of the cluster. It follows redirections (MOVED, ASK). The server sends these in place of a result, so
 * nothing runs twice. A call whose connection broke is not sent again.
 */
export function openCluster({ nodes, options, pause }: ClusterLinkOptions): Cluster {
  return new Cluster([...nodes], {
    redisOptions: {
      ...options,
      ...(options.tls === undefined ? {} : { tls: createTls(options.tls, nodes) }),
    },
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    scaleReads: 'master',
    clusterRetryStrategy: pause,
    // Redirections take few round trips. More of them mean that the nodes do not agree yet.
    maxRedirections: 6,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 30,
    slotsRefreshTimeout: 2_000,
    slotsRefreshInterval: REFRESH,
    // Names are not resolved here, because certificates are issued for names.
    dnsLookup: (host, callback) => callback(null, host),
  });
}

/**
 * Creates TLS options. Nodes announce themselves by an address or a name, but the certificate may be for the endpoint
 * in REDIS_URL. Only these two are accepted.
 */
function createTls(tls: NonNullable<RedisOptions['tls']>, nodes: ClusterLinkOptions['nodes']): RedisOptions['tls'] {
  const isCertificateFor = (host: string, certificate: PeerCertificate) =>
    checkServerIdentity(host, certificate) === undefined;
  return {
    ...tls,
    checkServerIdentity: (host, certificate) =>
      nodes.some((endpoint) => isCertificateFor(endpoint.host, certificate))
        ? undefined
        : checkServerIdentity(host, certificate),
  };
}

/** Returns the address of the master that serves the counters, or null before the first reply. */
export function findOwner(cluster: Cluster): string | null {
  return cluster.slots[KEY_SLOT]?.[0] ?? null;
}

/** Lists the connections of all masters. While a slot is moved, its keys are on two of them. */
export function listMasters(client: Redis | Cluster): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}
