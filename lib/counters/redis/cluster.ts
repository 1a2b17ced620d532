import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import type { Millis } from '@/lib/units';

/** The slot of the hash tag that all keys carry, `{c}`: CRC-16 of `c`. One shard serves it. */
export const KEY_SLOT = 7365;

/** How often the nodes are asked which of them serves which slot, in milliseconds; an error asks at once. */
const REFRESH: Millis = 5_000;

interface ClusterLinkOptions {
  /** Where the cluster is asked for its nodes first. */
  nodes: readonly { host: string; port: number }[];
  /** For the connection to each node, without its address. */
  options: RedisOptions;
  /** How long to wait before the nodes are asked again when none of them answers. */
  pause: (times: number) => Millis;
}

/**
 * A client of the cluster. It follows redirections (MOVED, ASK), which the server sends in place of a result, so nothing
 * is done twice; a call whose connection broke is not sent again.
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
    // Redirections take few round trips; more of them means that the nodes do not agree yet.
    maxRedirections: 6,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 30,
    slotsRefreshTimeout: 2_000,
    slotsRefreshInterval: REFRESH,
    // Names stay names, because certificates are for them.
    dnsLookup: (host, callback) => callback(null, host),
  });
}

/**
 * Nodes announce themselves by an address or by a name of their own, while the certificate may be for the endpoint that
 * REDIS_URL names: either is accepted, and nothing else.
 */
function createTls(tls: NonNullable<RedisOptions['tls']>, nodes: ClusterLinkOptions['nodes']): RedisOptions['tls'] {
  const isFor = (host: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate) === undefined;
  return {
    ...tls,
    checkServerIdentity: (host, certificate) =>
      nodes.some((endpoint) => isFor(endpoint.host, certificate)) ? undefined : checkServerIdentity(host, certificate),
  };
}

/** Address of the master that serves the counters, null before the first reply. */
export function findOwner(cluster: Cluster): string | null {
  return cluster.slots[KEY_SLOT]?.[0] ?? null;
}

/** The connections of all masters: while a slot is moved, its keys are on two of them. */
export function listMasters(client: Redis | Cluster): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}
