import { createHash } from 'node:crypto';
import { Command, Redis } from 'ioredis';
import type { Logger } from 'pino';
import { redisConnection } from '@/lib/counters/redis/redis-url';
import { checkServer, RedisUnsupported } from '@/lib/counters/redis/supported-server';
import { StoreUnavailable } from '@/lib/counters/store';

export interface RedisConnectionOptions {
  /** See `redisConnection`. */
  url: string;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long an answer may take, in milliseconds; 250 by default. */
  commandTimeout?: number;
}

/** How long a connection may be silent while it owes an answer, before it is given up, in milliseconds. */
const SILENCE = 2_000;
const LONGEST_PAUSE = 1_000;

/** What an error of the server begins with, in words. */
const REPLIES: Record<string, string> = {
  LOADING: 'Redis is still loading its data.',
  READONLY: 'Redis is a replica and cannot be written.',
  OOM: 'Redis has no memory left (maxmemory).',
  MISCONF: 'Redis does not write while it cannot save.',
  NOREPLICAS: 'Redis does not write without its replicas.',
  MASTERDOWN: 'Redis is a replica that has lost its master.',
  BUSY: 'Redis is busy with a script.',
  MOVED: 'Redis is a cluster, which is not supported.',
  CROSSSLOT: 'Redis is a cluster, which is not supported.',
  CLUSTERDOWN: 'Redis is a cluster, which is not supported.',
  NOAUTH: 'Redis asks for a password.',
  WRONGPASS: 'Redis does not know the user or the password.',
  NOPERM: 'The Redis user may not do this.',
};

/**
 * One connection to Redis that fails fast: nothing waits for a server that is away, nothing is sent twice (a group that
 * was sent may have been counted), and whatever goes wrong is `StoreUnavailable`. It reconnects for as long as it lives.
 */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #logger: RedisConnectionOptions['logger'];
  readonly #patience: number;
  readonly #hashes = new Map<string, string>();
  #generation = 0;
  #reachable = true;
  #unsupported: RedisUnsupported | null = null;

  /** @throws RedisUrlError */
  constructor({ url, logger, commandTimeout = 250 }: RedisConnectionOptions) {
    this.#logger = logger;
    this.#patience = commandTimeout;
    this.#redis = new Redis({
      ...redisConnection(url),
      lazyConnect: true,
      protocol: 2,
      disableClientInfo: true,
      connectionName: 'sluice',
      connectTimeout: 2_000,
      socketTimeout: SILENCE,
      keepAlive: 10_000,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(LONGEST_PAUSE, 25 * 2 ** Math.min(times, 10)),
      sentinelRetryStrategy: (times) => Math.min(LONGEST_PAUSE, 25 * 2 ** Math.min(times, 10)),
      sentinelCommandTimeout: 1_000,
      failoverDetector: true,
      // A replica that was a master: the address may lead to the new master by now.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', (error) => this.#lost(error));
    this.#redis.on('close', () => this.#lost(null));
    this.#redis.on('ready', () => this.#greet());
  }

  /** Counts the connections that were made: another number is perhaps another server, or one without its data. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Makes the first connection and looks at what answers.
   * @returns whether the server is there; when it is not, the connection goes on trying
   * @throws RedisUnsupported
   */
  async open(): Promise<boolean> {
    try {
      await this.#redis.connect();
      await this.#inspect();
    } catch (error) {
      if (error instanceof RedisUnsupported) {
        this.close();
        throw error;
      }
      return false;
    }
    return true;
  }

  /** Runs a script by its hash, or by its text where the server does not know it. @throws StoreUnavailable */
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
    return this.#inTime(Promise.resolve(this.#redis.sendCommand(command)));
  }

  /**
   * The wait is cut in two, so that a process that was busy itself for longer than that looks at what has come in
   * meanwhile before it gives up.
   */
  #inTime(answer: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const half = this.#patience / 2;
      let timer = setTimeout(() => {
        timer = setTimeout(() => reject(new StoreUnavailable('Redis did not answer in time.')), half);
      }, half);
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #hash(script: string): string {
    const known = this.#hashes.get(script);
    if (known !== undefined) return known;
    const hash = createHash('sha1').update(script).digest('hex');
    this.#hashes.set(script, hash);
    return hash;
  }

  /** A connection stands. It is looked at, because the address may lead to another server than before. */
  #greet(): void {
    this.#generation += 1;
    this.#inspect().then(
      () => {
        this.#unsupported = null;
      },
      (error: unknown) => {
        if (!(error instanceof RedisUnsupported)) return;
        this.#unsupported = error;
        this.#logger.error({ err: error }, 'the counter store is not supported');
      },
    );
    if (!this.#reachable) this.#logger.info('the counter store is back');
    this.#reachable = true;
  }

  #lost(error: Error | null): void {
    if (!this.#reachable || this.#redis.status === 'end') return;
    this.#reachable = false;
    this.#logger.warn({ err: discreet(error) }, 'the counter store is out of reach');
  }

  /** @throws RedisUnsupported for a cluster, and for a server that is too old */
  async #inspect(): Promise<void> {
    checkServer(String(await this.#redis.info()));
  }
}

/** Takes the command off an error of the driver, which goes into logs: it can hold a password, and all keys of a group. */
function discreet<T>(error: T): T {
  if (error instanceof Error) Reflect.deleteProperty(error, 'command');
  return error;
}

/** The typed fault behind whatever the driver or the server said. */
function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  discreet(error);
  if (error instanceof RedisUnsupported) return new StoreUnavailable(error.message, { cause: error });
  const message = error instanceof Error ? error.message : '';
  const known = REPLIES[message.split(' ', 1)[0] ?? ''];
  if (known !== undefined) return new StoreUnavailable(known, { cause: error });
  if (error instanceof Error && error.name === 'ReplyError') {
    return new StoreUnavailable('Redis refused a command.', { cause: error });
  }
  return new StoreUnavailable('Redis is out of reach.', { cause: error });
}
