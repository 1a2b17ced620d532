import { createHash } from 'node:crypto';
import { Command, Redis } from 'ioredis';
import type { Logger } from 'pino';
import { redisConnection } from '@/lib/counters/redis/redis-url';
import { StoreUnavailable } from '@/lib/counters/store';
import { withTimeout } from '@/lib/db/with-timeout';
import type { Millis } from '@/lib/units';

export interface RedisConnectionOptions {
  /** See `redisConnection`. */
  url: string;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** In milliseconds; 250 by default. */
  commandTimeout?: Millis;
}

const CLUSTER = 'Redis is a cluster, which is not supported.';

/** By the first word of a server error. */
const REPLIES: Record<string, string> = {
  LOADING: 'Redis is still loading its data.',
  READONLY: 'Redis is a replica and cannot be written.',
  OOM: 'Redis has no memory left (maxmemory).',
  MISCONF: 'Redis does not write while it cannot save.',
  NOREPLICAS: 'Redis does not write without its replicas.',
  MASTERDOWN: 'Redis is a replica that has lost its master.',
  BUSY: 'Redis is busy with a script.',
  MOVED: CLUSTER,
  CROSSSLOT: CLUSTER,
  CLUSTERDOWN: CLUSTER,
  NOAUTH: 'Redis requires a password.',
  WRONGPASS: 'Redis rejects the user or the password.',
  NOPERM: 'The Redis user may not do this.',
};

/**
 * One connection to Redis that fails fast: nothing waits for a server that is down, nothing is sent twice (a group that
 * was sent may have been counted), and every fault is a `StoreUnavailable`. It reconnects until it is closed.
 */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #hashes = new Map<string, string>();
  #generation = 0;
  #isUp = true;
  #unsupported: RedisUnsupported | null = null;

  /** @throws RedisUrlError */
  constructor(private readonly options: RedisConnectionOptions) {
    const pause = (times: number) => Math.min(1_000, 25 * 2 ** Math.min(times, 10));
    this.#redis = new Redis({
      ...redisConnection(options.url),
      lazyConnect: true,
      protocol: 2,
      disableClientInfo: true,
      connectionName: 'sluice',
      connectTimeout: 2_000,
      // How long the connection may be silent while it owes a reply, in milliseconds.
      socketTimeout: 2_000,
      keepAlive: 10_000,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: pause,
      sentinelRetryStrategy: pause,
      sentinelCommandTimeout: 1_000,
      failoverDetector: true,
      // A replica that was a master: the address may lead to the new master by now.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', (error) => this.#disconnected(error));
    this.#redis.on('close', () => this.#disconnected(null));
    this.#redis.on('ready', () => this.#connected());
  }

  /** Number of connections made so far: a new one may lead to another server, or to one without its data. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Makes the first connection and checks the server.
   * @returns whether the server is up; the connection keeps trying when it is not
   * @throws RedisUnsupported
   */
  async open(): Promise<boolean> {
    try {
      await this.#redis.connect();
      await this.#inspect();
      return true;
    } catch (error) {
      if (!(error instanceof RedisUnsupported)) return false;
      this.close();
      throw error;
    }
  }

  /** Runs a script by its hash, or by its text if the server has not cached it. @throws StoreUnavailable */
  async run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.#send('evalsha', [this.#hash(script), keys.length, ...keys, ...args]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw unavailable(error);
    }
    return this.command('eval', [script, keys.length, ...keys, ...args]);
  }

  /** @throws StoreUnavailable */
  async command(name: string, args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.#send(name, args);
    } catch (error) {
      throw unavailable(error);
    }
  }

  close(): void {
    this.#redis.disconnect();
  }

  #send(name: string, args: readonly (string | number)[]): Promise<unknown> {
    if (this.#unsupported !== null) return Promise.reject(this.#unsupported);
    const command = new Command(name, [...args], { replyEncoding: 'utf8' });
    const late = () => new StoreUnavailable('Redis did not answer in time.');
    return withTimeout(Promise.resolve(this.#redis.sendCommand(command)), this.options.commandTimeout ?? 250, late);
  }

  #hash(script: string): string {
    const hash = this.#hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
    this.#hashes.set(script, hash);
    return hash;
  }

  /** Checks the server on each connection: the address may lead to another one than before. */
  #connected(): void {
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
    if (!this.#isUp) this.options.logger.info('the counter store is back');
    this.#isUp = true;
  }

  #disconnected(error: Error | null): void {
    if (!this.#isUp || this.#redis.status === 'end') return;
    this.#isUp = false;
    this.options.logger.warn({ err: withoutCommand(error) }, 'the counter store is down');
  }

  async #inspect(): Promise<void> {
    checkServer(String(await this.#redis.info()));
  }
}

/** Takes the command off a driver error before it is logged: it can hold a password, and all keys of a group. */
function withoutCommand<T>(error: T): T {
  if (error instanceof Error) Reflect.deleteProperty(error, 'command');
  return error;
}

function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  withoutCommand(error);
  if (error instanceof RedisUnsupported) return new StoreUnavailable(error.message, { cause: error });
  const message = error instanceof Error ? error.message : '';
  const refused = error instanceof Error && error.name === 'ReplyError' ? 'Redis refused a command.' : 'Redis is down.';
  return new StoreUnavailable(REPLIES[message.split(' ', 1)[0] ?? ''] ?? refused, { cause: error });
}

/** Counters cannot be kept on this server; `message` is a sentence for the operator. */
export class RedisUnsupported extends Error {
  override readonly name = 'RedisUnsupported';
}

/**
 * @param info the reply of INFO; a server that hides its version is accepted
 * @throws RedisUnsupported for a cluster, and for a server older than 6.2: scripts, hashes and expiry rely on it
 */
export function checkServer(info: string): void {
  if (/^(?:cluster_enabled:1|redis_mode:cluster)\s*$/m.test(info)) {
    throw new RedisUnsupported(
      'REDIS_URL leads to a Redis Cluster, which cannot decide a group of requests in one step. Use a single server, or one with replicas and Sentinel.',
    );
  }
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  const isOlder = Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2);
  if (isOlder)
    throw new RedisUnsupported(`REDIS_URL leads to Redis ${major}.${minor}; version 6.2 or later is needed.`);
}
