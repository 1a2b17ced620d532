import { Redis, type RedisOptions } from 'ioredis';
import type { Millis } from '@/lib/units';

interface SingleLinkOptions {
  options: RedisOptions;
  /** Returns the pause before the next attempt to connect. */
  pause: (times: number) => Millis;
  /**
   * Sends calls right after the handshake, without waiting for its replies. A server that is not ready refuses them. The
   * database must be 0, because a call after a refused `SELECT` would count in that database.
   */
  isEager?: boolean;
}

/** Opens a client of a single server, or of the master that sentinels name. */
export function openSingle({ options, pause, isEager = false }: SingleLinkOptions): Redis {
  const redis = new Redis({
    ...options,
    enableOfflineQueue: false,
    enableReadyCheck: !isEager,
    retryStrategy: pause,
    sentinelRetryStrategy: pause,
    sentinelCommandTimeout: 1_000,
    failoverDetector: true,
    // The server is a replica that was a master. The address may lead to the new master now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  // The driver detects silence with a timer and a listener per call. This is used only for the handshake. `Deadlines`
  // watches later calls.
  const { socketTimeout } = options;
  armOnlyIfSet(redis);
  redis.on('ready', () => {
    delete redis.options.socketTimeout;
  });
  redis.on('close', () => {
    if (socketTimeout !== undefined) redis.options.socketTimeout = socketTimeout;
  });
  requireDatabase(redis);
  if (isEager) shortenHandshake(redis);
  return redis;
}

/**
 * Arms the driver's timer for silence only while the option is set. The driver arms it again after each reply while
 * others are outstanding, and ignores the option then. Without a time it would drop the connection after a millisecond.
 */
function armOnlyIfSet(redis: Redis): void {
  const armed = redis as unknown as { setSocketTimeout: () => void };
  const { setSocketTimeout } = armed;
  armed.setSocketTimeout = () => {
    if (redis.options.socketTimeout !== undefined) Reflect.apply(setSocketTimeout, redis, []);
  };
}

/** Drops a connection whose database does not exist. The driver would count in database 0. */
function requireDatabase(redis: Redis): void {
  const { select } = redis;
  redis.select = async (...database: unknown[]) => {
    const reply: Promise<'OK'> = Reflect.apply(select, redis, database);
    reply.catch((error: Error) => {
      // The node of a cluster has one database. It is reported after INFO.
      if (!error.message.includes('cluster mode')) dropConnection(redis, error);
    });
    return reply;
  };
}

function dropConnection(redis: Redis, error: Error): void {
  redis.emit('error', error);
  redis.disconnect(true);
}

/**
 * Makes the handshake of the driver skip the replies to its commands, which it calls as methods. The server processes
 * later commands after them. If it refuses the password, the connection is dropped.
 */
function shortenHandshake(redis: Redis): void {
  const skipReply =
    (send: (...args: never[]) => Promise<unknown>, onError: (error: Error) => void = () => undefined) =>
    (...args: unknown[]) => {
      const reply: Promise<unknown> = Reflect.apply(send, redis, args);
      reply.catch(onError);
      return Promise.resolve('OK' as const);
    };
  const { auth, client } = redis;
  Object.assign(redis, {
    auth: skipReply(auth, (error) => {
      if (!/without any password configured|no password is set/.test(error.message)) dropConnection(redis, error);
    }),
    client: skipReply(client),
  });
}
