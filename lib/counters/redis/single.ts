import { Redis, type RedisOptions } from 'ioredis';
import type { Millis } from '@/lib/units';

interface SingleLinkOptions {
  options: RedisOptions;
  /** How long to wait before the next attempt to connect. */
  pause: (times: number) => Millis;
}

/** A client of a single server, or of the master that sentinels name. */
export function openSingle({ options, pause }: SingleLinkOptions): Redis {
  const redis = new Redis({
    ...options,
    enableOfflineQueue: false,
    retryStrategy: pause,
    sentinelRetryStrategy: pause,
    sentinelCommandTimeout: 1_000,
    failoverDetector: true,
    // A replica that was a master: the address may lead to the new master by now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  // The driver notices silence by a timer and a listener for each call. That is for the handshake alone: `Deadlines`
  // watches the calls.
  const { socketTimeout } = options;
  redis.on('ready', () => {
    delete redis.options.socketTimeout;
  });
  redis.on('close', () => {
    if (socketTimeout !== undefined) redis.options.socketTimeout = socketTimeout;
  });
  return redis;
}
