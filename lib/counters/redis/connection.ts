import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import { findOwner, listMasters, openCluster } from '@/lib/counters/redis/cluster';
import { Deadlines } from '@/lib/counters/redis/deadlines';
import {
  checkServer,
  convertRedisFault,
  isClusterNode,
  RedisUnsupported,
  removeCommand,
} from '@/lib/counters/redis/faults';
import type { RedisLink, RedisLinkOptions, ReplyType } from '@/lib/counters/redis/link';
import { parseClusterNodes, parseRedisUrl } from '@/lib/counters/redis/redis-url';
import { runByHash } from '@/lib/counters/redis/run-by-hash';
import { openSingle } from '@/lib/counters/redis/single';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

const SCAN_STEP = 1_000;
/** Returns the pause before the next attempt to connect: 50 ms, then doubled each time, up to a second. */
const pause = (times: number): Millis => Math.min(1_000, 25 * 2 ** Math.min(times, 10));

/** Pause before a connection that the driver has given up is opened again. */
const REOPEN_AFTER: Millis = 200;

/** Options for a single server and for each node of a cluster. */
const CONNECTION = {
  lazyConnect: true,
  protocol: 2,
  disableClientInfo: true,
  connectionName: 'sluice',
  connectTimeout: 2_000,
  // Longest silence of the connection while it owes a reply, in milliseconds.
  socketTimeout: 2_000,
  keepAlive: 10_000,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const satisfies RedisOptions;

/**
 * Redis over a socket. It reconnects until it is closed. If the address belongs to a cluster, it uses a cluster client,
 * and a single client if that changes back.
 */
export class RedisConnection implements RedisLink {
  #client: Redis | Cluster;
  readonly #address: RedisOptions;
  #generation = 0;
  #isUp = true;
  #isClosed = false;
  #shard: string | null = null;
  #unsupported: RedisUnsupported | null = null;
  #connecting: Promise<boolean> | null = null;
  #inspection: { client: Redis | Cluster; generation: number; result: Promise<void> } | null = null;
  readonly #deadlines: Deadlines;

  /** @throws RedisUrlError */
  constructor(private readonly options: RedisLinkOptions) {
    this.#address = parseRedisUrl(options.url);
    this.#deadlines = new Deadlines({
      timeout: options.commandTimeout ?? 250,
      late: () => new StoreUnavailable('Redis did not answer in time.'),
      silent: () => this.#abandon(),
    });
    const nodes = parseClusterNodes(options.url);
    this.#client = nodes === null ? this.#createSingle() : this.#createCluster(nodes);
  }

  /** Number of connections so far. */
  get generation(): number {
    this.#followShard();
    return this.#generation;
  }

  get isCluster(): boolean {
    return this.#client instanceof Cluster;
  }

  connect(): Promise<boolean> {
    this.#connecting ??= this.#client.connect().then(
      () => true,
      () => false,
    );
    return this.#connecting;
  }

  async open(): Promise<boolean> {
    if (!(await this.connect())) return false;
    try {
      await this.#inspect();
      return true;
    } catch (error) {
      if (!(error instanceof RedisUnsupported)) return false;
      this.close();
      throw error;
    }
  }

  async run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    reply: ReplyType = 'text',
  ): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return await runByHash(script, (command, first) => this.#send(command, [first, ...rest], { reply }));
    } catch (error) {
      throw convertRedisFault(error);
    }
  }

  async runCommand(name: string, args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.#send(name, args);
    } catch (error) {
      throw convertRedisFault(error);
    }
  }

  /** Scans all masters. */
  async *scan(pattern: string): AsyncGenerator<string[]> {
    for (const master of listMasters(this.#client)) {
      let cursor = '0';
      do {
        const reply = await this.#send('scan', [cursor, 'MATCH', pattern, 'COUNT', SCAN_STEP], { to: master }).catch(
          (error: unknown) => {
            throw convertRedisFault(error);
          },
        );
        const [next, names]: unknown[] = Array.isArray(reply) ? reply : [];
        yield Array.isArray(names) ? names.map(String) : [];
        cursor = String(next ?? '0');
      } while (cursor !== '0');
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#client.disconnect();
  }

  #send(
    name: string,
    args: readonly (string | number)[],
    { to = this.#client, reply: as = 'text' }: { to?: Redis | Cluster; reply?: ReplyType } = {},
  ): Promise<unknown> {
    if (this.#unsupported !== null) return Promise.reject(this.#unsupported);
    const command = new Command(name, [...args], { replyEncoding: as === 'text' ? 'utf8' : null });
    const answer = this.#deadlines.follow(Promise.resolve(to.sendCommand(command)));
    return to instanceof Cluster ? this.#followCluster(to, answer) : answer;
  }

  async #followCluster(cluster: Cluster, answer: Promise<unknown>): Promise<unknown> {
    try {
      const reply = await answer;
      if (!this.#isUp) this.#reportUp();
      return reply;
    } catch (error) {
      // The shard may have another master now. Most refusals do not indicate that.
      const isRefused = error instanceof Error && error.name === 'ReplyError' && !/^CLUSTERDOWN/.test(error.message);
      if (!isRefused && this.#client === cluster) cluster.refreshSlotsCache();
      throw error;
    }
  }

  /** Drops a silent connection, and makes another. */
  #abandon(): void {
    if (this.#client instanceof Redis) this.#client.stream?.destroy(new Error('Redis has been silent for too long.'));
  }

  #createSingle(): Redis {
    const { db = 0, sentinels } = this.#address;
    // The driver must check that the server is the master that sentinels name, and that the database exists.
    const isEager = this.options.canFreeze === true && sentinels === undefined && db === 0;
    const redis = openSingle({ options: { ...this.#address, ...CONNECTION }, pause, isEager });
    redis.on('error', (error) => this.#handleDisconnected(redis, error));
    redis.on('close', () => this.#handleDisconnected(redis, null));
    redis.on('ready', () => this.#handleConnected(redis));
    redis.on('end', () => this.#reopen(redis));
    return redis;
  }

  /** @throws RedisUnsupported if the database is not 0 */
  #createCluster(nodes: readonly { host: string; port: number }[]): Cluster {
    const { host: _, port: __, db = 0, ...options } = this.#address;
    if (db !== 0)
      throw new RedisUnsupported(
        `REDIS_URL leads to a Redis Cluster, which has only the database 0: take /${db} off its end.`,
      );
    const cluster = openCluster({ nodes, options: { ...options, ...CONNECTION }, pause });
    cluster.on('error', (error: Error) => this.#handleDisconnected(cluster, error));
    cluster.on('close', () => this.#handleDisconnected(cluster, null));
    cluster.on('ready', () => this.#handleConnected(cluster));
    // A node with a new connection may have restarted without its data.
    cluster.on('+node', () => {
      this.#generation += 1;
    });
    cluster.on('-node', ({ options: { host, port } }: Redis) => {
      if (`${host}:${port}` === findOwner(cluster)) this.#handleDisconnected(cluster, null);
    });
    cluster.on('node error', (error: Error) => {
      if (this.#client === cluster && /cluster support disabled/.test(error.message))
        this.#replaceClient(this.#createSingle());
    });
    return cluster;
  }

  /**
   * Opens a connection again after the driver has given it up. That happens if a failover is announced while the driver
   * queries a sentinel for the master.
   */
  #reopen(client: Redis): void {
    const isNeeded = () => client === this.#client && !this.#isClosed;
    if (!isNeeded()) return;
    setTimeout(() => {
      if (isNeeded()) client.connect().catch(() => undefined);
    }, REOPEN_AFTER).unref();
  }

  /** Replaces the client by a new one for the same address. */
  #replaceClient<T extends Redis | Cluster>(client: T): T {
    const former = this.#client;
    this.#client = client;
    this.#shard = null;
    former.disconnect();
    if (client instanceof Redis) client.connect().catch(() => undefined);
    return client;
  }

  /** Checks the server on each connection, because the address may lead to a different server than before. */
  #handleConnected(client: Redis | Cluster): void {
    if (client !== this.#client) return;
    this.#generation += 1;
    this.#inspect().then(
      () => {
        this.#unsupported = null;
      },
      (error: unknown) => {
        if (!(error instanceof RedisUnsupported)) return;
        this.#unsupported = error;
        this.options.logger.error({ err: error }, 'the counter store is not supported');
      },
    );
    if (!this.#isUp) this.#reportUp();
  }

  #reportUp(): void {
    this.#isUp = true;
    this.options.logger.info('the counter store is back');
  }

  #handleDisconnected(client: Redis | Cluster, error: Error | null): void {
    if (client !== this.#client || !this.#isUp || this.#isClosed) return;
    this.#isUp = false;
    this.options.logger.warn({ err: removeCommand(error) }, 'the counter store is down');
  }

  /** Detects that another master serves the counters. It may lack the latest writes of the former one. */
  #followShard(): void {
    const shard = this.#client instanceof Cluster ? findOwner(this.#client) : null;
    if (shard === null || shard === this.#shard) return;
    const sentence =
      this.#shard === null
        ? 'Redis is a cluster: one shard serves all counters'
        : 'another node of the Redis Cluster serves the counters now';
    this.#shard = shard;
    this.#generation += 1;
    this.options.logger.info({ shard }, sentence);
  }

  /** Checks the server once for each connection. A check that failed is repeated. */
  #inspect(): Promise<void> {
    const [client, generation] = [this.#client, this.#generation];
    if (this.#inspection?.client === client && this.#inspection.generation === generation)
      return this.#inspection.result;
    const result = this.#inspectServer(client);
    const inspection = { client, generation, result };
    this.#inspection = inspection;
    result.catch(() => {
      if (this.#inspection === inspection) this.#inspection = null;
    });
    return result;
  }

  async #inspectServer(client: Redis | Cluster): Promise<void> {
    if (client instanceof Cluster) {
      this.#followShard();
      const node = listMasters(client).find(({ options: { host, port } }) => `${host}:${port}` === this.#shard);
      return checkServer(String(await node?.info()));
    }
    const info = String(await this.#deadlines.watch(client.info()));
    checkServer(info);
    if (!isClusterNode(info) || client !== this.#client) return;
    const { host = 'localhost', port = 6379 } = client.options;
    const cluster = this.#replaceClient(this.#createCluster([{ host, port }]));
    await cluster.connect();
    await this.#inspect();
  }
}
