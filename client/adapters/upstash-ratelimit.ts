import {
  addCost,
  type LimitClient,
  readLimit,
  resetLimit,
  type SubjectCheck,
} from '@/client/adapters/limit-operations';
import { compareStated, type StatedLimit } from '@/client/adapters/stated-limit';
import type { EndpointClass } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import { type Clock, SYSTEM_CLOCK } from '@/client/clock';
import { Sluice } from '@/client/index';

type Unit = 'ms' | 's' | 'm' | 'h' | 'd' | 'w';
/** Length of a window: `10 s`, `30m`. */
export type Duration = `${number} ${Unit}` | `${number}${Unit}`;

/** Limit that a limiter states. Sluice compares it with its policy. */
export type Algorithm = StatedLimit;

export interface RatelimitConfig {
  limiter: Algorithm;
  /** Put before identifiers, to count them separately from those of other limiters. */
  prefix?: string;
  /** Client of Sluice. By default one for `SLUICE_URL` and `SLUICE_TOKEN`. */
  sluice?: LimitClient;
  /** Endpoint class whose limit for users decides. Default: `write`. */
  class?: EndpointClass;
  /** Named limit that decides in place of a class. Each identifier is a subject. */
  limitName?: string;
  /** Clock, for tests. */
  clock?: Clock;
  /** Ignored, like the following: Sluice stores the counters, and records statistics and refusals. */
  redis?: unknown;
  analytics?: boolean;
  ephemeralCache?: Map<string, number> | false;
  timeout?: number;
  enableProtection?: boolean;
  denyListThreshold?: number;
  cacheScripts?: boolean;
  enableTelemetry?: boolean;
}

export interface RatedRequest {
  /** Units that the request consumes, at least 1. */
  rate?: number;
  /** Ignored, like the following. */
  geo?: { country?: string; city?: string; region?: string; ip?: string };
  ip?: string;
  userAgent?: string;
  country?: string;
}

export interface RatelimitResponse {
  success: boolean;
  limit: number;
  remaining: number;
  /** When the full limit is available again, or after a refusal, when the request is admitted. Unix milliseconds. */
  reset: number;
  /** Resolved: nothing continues after the answer. */
  pending: Promise<unknown>;
  /** `timeout`: decided without the server. `cacheBlock`: the client repeats a refusal (`rememberRefusals`). */
  reason?: 'timeout' | 'cacheBlock';
}

const UNITS: Readonly<Record<Unit, number>> = {
  ...{ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 },
};

/**
 * Drop-in for `Ratelimit` of `@upstash/ratelimit`. The limit for users of a class of Sluice decides, or a named limit, in
 * a sliding window; the limit that the constructor states is compared with it.
 * @example
 * const ratelimit = new Ratelimit({ limiter: Ratelimit.slidingWindow(10, '10 s') });
 * const { success } = await ratelimit.limit('alice');
 */
export class Ratelimit {
  readonly #config: RatelimitConfig;
  readonly #clock: Clock;
  readonly #compare: ReturnType<typeof compareStated>;

  /** @throws TypeError if `class` and `limitName` are both set */
  constructor(config: RatelimitConfig) {
    if (config.class !== undefined && config.limitName !== undefined)
      throw new TypeError('Set `class` or `limitName`, not both.');
    this.#config = config;
    this.#clock = config.clock ?? SYSTEM_CLOCK;
    this.#compare = compareStated('Ratelimit', config.limiter);
  }

  static slidingWindow(tokens: number, window: Duration): Algorithm {
    return { limit: tokens, milliseconds: readWindow(window) };
  }

  /** Sluice slides the window, so it admits no burst at its boundary. */
  static fixedWindow(tokens: number, window: Duration): Algorithm {
    return Ratelimit.slidingWindow(tokens, window);
  }

  /** Every decision is the server's. */
  static cachedFixedWindow(tokens: number, window: Duration): Algorithm {
    return Ratelimit.slidingWindow(tokens, window);
  }

  /** States the window in which the bucket fills: as many requests, and the same rate. */
  static tokenBucket(refillRate: number, interval: Duration, maxTokens: number): Algorithm {
    return { limit: maxTokens, milliseconds: (readWindow(interval) * maxTokens) / refillRate };
  }

  /** Decides one request, and counts it if it is allowed. */
  limit = async (identifier: string, { rate = 1 }: RatedRequest = {}): Promise<RatelimitResponse> => {
    return this.#describe(await this.#check(identifier, rate));
  };

  /**
   * Waits until the request is allowed, at most `timeout` milliseconds. Ends earlier if it never will be.
   * @throws Error if `timeout` is not above 0
   */
  blockUntilReady = async (identifier: string, timeout: number): Promise<RatelimitResponse> => {
    if (!(timeout > 0)) throw new Error('timeout must be positive');
    const deadline = this.#clock.now() + timeout;
    for (;;) {
      const answer = await this.#check(identifier, 1);
      const now = this.#clock.now();
      const { allowed, retry_after: seconds } = answer;
      if (allowed || seconds === undefined || now >= deadline) return this.#describe(answer);
      await new Promise<void>((resolve) => {
        this.#clock.after(Math.min(seconds * 1_000, deadline - now), resolve);
      });
      if (this.#clock.now() > deadline) return this.#describe(answer);
    }
  };

  /** Reads the limit without counting. It needs a token of the role `viewer` or higher. */
  getRemaining = async (identifier: string): Promise<{ remaining: number; reset: number; limit: number }> => {
    const { limit, remaining, reset } = await readLimit(findClient(this.#config), this.#createCheck(identifier));
    return { remaining: remaining ?? 0, reset: reset === null ? this.#clock.now() : reset * 1_000, limit };
  };

  /** Clears the counter. It needs a token of the role `operator` or higher. */
  resetUsedTokens = (identifier: string): Promise<void> =>
    resetLimit(findClient(this.#config), this.#createCheck(identifier));

  #createCheck(identifier: string): SubjectCheck {
    const { class: name = 'write', prefix, limitName } = this.#config;
    // The original takes numbers too, and makes texts of them.
    const subject = prefix === undefined ? String(identifier) : `${prefix}:${identifier}`;
    return limitName === undefined ? { class: name, user_id: subject } : { limits: [{ name: limitName, subject }] };
  }

  async #check(identifier: string, rate: number): Promise<CheckAnswer> {
    if (!(Number.isSafeInteger(rate) && rate >= 1)) throw new TypeError('`rate` must be a whole number of at least 1.');
    const answer = await findClient(this.#config).check(addCost(this.#createCheck(identifier), rate));
    this.#compare(answer, rate, this.#clock.now());
    return answer;
  }

  #describe({ allowed, status, limit, remaining, reset, retry_after: seconds }: CheckAnswer): RatelimitResponse {
    const now = this.#clock.now();
    const most = limit ?? this.#config.limiter.limit;
    const response: RatelimitResponse = {
      success: allowed,
      limit: most,
      remaining: remaining ?? (allowed ? most : 0),
      reset: !allowed && seconds !== undefined ? now + seconds * 1_000 : reset === null ? now : reset * 1_000,
      pending: Promise.resolve(),
    };
    if (status === 'unreachable') response.reason = 'timeout';
    if (status === 'remembered') response.reason = 'cacheBlock';
    return response;
  }
}

/** Reads a window in milliseconds. @throws Error if it is not a number with a unit */
function readWindow(window: string): number {
  const [, count, unit] = /^(\d+(?:[.]\d+)?) ?(ms|s|m|h|d|w)$/.exec(window) ?? [];
  if (count === undefined || Number(count) === 0) throw new Error(`Unable to parse window size: ${window}`);
  return Number(count) * UNITS[unit as Unit];
}

/** Client for the environment. All limiters share it, because it batches concurrent checks. */
let usual: LimitClient | null = null;

/** The client is created with the first request, because builds import modules without the environment. */
function findClient({ sluice }: RatelimitConfig): LimitClient {
  if (sluice !== undefined) return sluice;
  if (usual === null) {
    const [url, token] = typeof process === 'undefined' ? [] : [process.env.SLUICE_URL, process.env.SLUICE_TOKEN];
    if (url === undefined || token === undefined)
      throw new TypeError('Set `SLUICE_URL` and `SLUICE_TOKEN`, or the option `sluice`.');
    // Its operations are defined from the contracts (`client/index.ts`).
    usual = new Sluice({ url, token }) as Sluice & LimitClient;
  }
  return usual;
}
