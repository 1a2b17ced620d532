import { Redis, type RedisOptions } from 'ioredis';
import type { Millis } from '@/lib/units';

interface SingleLinkOptions {
  options: RedisOptions;
  /** Returns the pause before the next attempt to connect. */
  pause: (times: number) => Millis;
  /** Sends calls right after the handshake, without waiting for its replies. A server that is not ready refuses them. */
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
  redis.on('ready', () => {
    delete redis.options.socketTimeout;
  });
  redis.on('close', () => {
    if (socketTimeout !== undefined) redis.options.socketTimeout = socketTimeout;
  });
  if (isEager) shortenHandshake(redis);
  return redis;
}

/**
 * Lets the driver not wait for the replies to the commands of its handshake, which it calls as methods. The server
 * processes later commands after these. If it refuses the password, the connection is dropped.
 */
function shortenHandshake(redis: Redis): void {
  const sent = (reply: Promise<unknown>, refused: (error: Error) => void) => {
    reply.catch((error: Error) => refused(error));
    return Promise.resolve('OK' as const);
  };
  const { auth, select, client } = redis;
  Object.assign(redis, {
    auth: (...credentials: unknown[]) =>
      sent(Reflect.apply(auth, redis, credentials), (error) => {
        if (/without any password configured|no password is set/.test(error.message)) return;
        redis.emit('error', error);
        redis.disconnect(true);
      }),
    select: (...database: unknown[]) =>
      sent(Reflect.apply(select, redis, database), (error) => redis.emit('error', error)),
    client: (...name: unknown[]) => sent(Reflect.apply(client, redis, name), () => undefined),
  });
}
