import { Redis, type RedisOptions } from 'ioredis';
import type { Millis } from '@/lib/units';

interface SingleLinkOptions {
  options: RedisOptions;
  /** Returns the pause before the next attempt to connect. */
  pause: (times: number) => Millis;
}

/** Opens a client of a single server, or of the master that sentinels name. */
export function openSingle({ options, pause }: SingleLinkOptions): Redis {
  const redis = new Redis({
    ...options,
    enableOfflineQueue: false,
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
  return redis;
}
