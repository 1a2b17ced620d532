import { Ratelimit } from '@upstash/ratelimit';
import { Redis as Upstash } from '@upstash/redis';
import { rateLimit } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { upstashCommands } from '../tests/fixtures/upstash-commands.mjs';
import { createFlexibleLimiter, createOwnLimiter, type Limiter, type Rule } from './limiters';
import { openRedisCounters } from './redis-contenders';

export interface RedisLimiter extends Limiter {
  /** True if its decisions pass through the process with Upstash's REST API. */
  overHttp?: boolean;
  close: () => Promise<void>;
}

/** Opens the limiters on one Redis, each on its own connection. @param rest URL of Upstash's REST API */
export async function redisLimiters(url: string, rest: string, rule: Rule): Promise<RedisLimiter[]> {
  const store = await openRedisCounters(url);
  const fixed = Ratelimit.fixedWindow(rule.limit, `${rule.seconds} s`);
  const sliding = Ratelimit.slidingWindow(rule.limit, `${rule.seconds} s`);
  const bucket = Ratelimit.tokenBucket(rule.limit, `${rule.seconds} s`, rule.limit);
  return [
    { ...createOwnLimiter('Sluice', store, rule), close: () => store.close() },
    flexibleOnRedis(url, rule),
    expressOnRedis(url, rule),
    upstashOverHttp('sliding window', rest, sliding),
    upstashOverHttp('fixed window', rest, fixed),
    upstashOverHttp('token bucket', rest, bucket),
    upstashOnSocket('sliding window', url, sliding),
  ];
}

function flexibleOnRedis(url: string, { limit, seconds }: Rule): RedisLimiter {
  const storeClient = new Redis(url);
  const limiter = new RateLimiterRedis({ storeClient, keyPrefix: `f${seconds}`, points: limit, duration: seconds });
  return { ...createFlexibleLimiter('rate-limiter-flexible', limiter), close: async () => storeClient.disconnect() };
}

/** Fields of Express that the middleware uses with these settings. */
type Middleware = (request: { ip: string }, response: object, next: (error?: unknown) => void) => unknown;

/** Limiter: the middleware alone, without a server. */
function expressOnRedis(url: string, { limit, seconds }: Rule): RedisLimiter {
  const client = new Redis(url);
  const sendCommand = (name: string, ...args: string[]) => client.call(name, ...args) as Promise<number[]>;
  const refused = Symbol('refused');
  const middleware = rateLimit({
    limit,
    windowMs: seconds * 1_000,
    store: new RedisStore({ sendCommand, prefix: `e${seconds}:` }),
    keyGenerator: (request) => String(request.ip),
    legacyHeaders: false,
    validate: false,
    handler: (_request, _response, next) => next(refused),
  }) as unknown as Middleware;
  return {
    name: 'express-rate-limit, rate-limit-redis',
    admits: (asked) =>
      new Promise((resolve, reject) => {
        middleware({ ip: asked }, {}, (error: unknown) => {
          if (error === undefined || error === refused) resolve(error === undefined);
          else reject(error);
        });
      }),
    close: async () => client.disconnect(),
  };
}

type Algorithm = ReturnType<typeof Ratelimit.slidingWindow>;

function upstashOverHttp(name: string, rest: string, limiter: Algorithm): RedisLimiter {
  const redis = new Upstash({ url: rest, token: 'bench', enableTelemetry: false });
  return { ...upstash(`@upstash/ratelimit, ${name}, over HTTP`, redis, limiter), overHttp: true };
}

/**
 * Limiter: Upstash's algorithm without its transport. Commands go to Redis over a socket, as for the other limiters.
 */
function upstashOnSocket(name: string, url: string, limiter: Algorithm): RedisLimiter {
  const client = new Redis(url);
  const answer = upstashCommands(client);
  const redis = new Upstash({ request: async ({ path, body }) => answer(path?.join('/') ?? '', body, false) });
  return {
    ...upstash(`@upstash/ratelimit, ${name}, on the socket`, redis, limiter),
    close: async () => client.disconnect(),
  };
}

function upstash(name: string, redis: Upstash, limiter: Algorithm): RedisLimiter {
  const ratelimit = new Ratelimit({ redis, limiter, prefix: name });
  return {
    name,
    admits: async (client) => {
      const { success, reason } = await ratelimit.limit(client);
      if (reason === 'timeout') throw new Error('It was let through because Redis did not answer in time.');
      return success;
    },
    close: async () => undefined,
  };
}
