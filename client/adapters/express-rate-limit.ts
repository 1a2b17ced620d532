import {
  isOverLimit,
  type LimitClient,
  readLimit,
  resetLimit,
  type SubjectCheck,
} from '@/client/adapters/limit-operations';
import { UNKNOWN_ADDRESS } from '@/client/adapters/limit-request';
import { compareStated } from '@/client/adapters/stated-limit';
import type { EndpointClass } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import { type Clock, SYSTEM_CLOCK } from '@/client/clock';
import { SluiceError } from '@/client/error';
import { readAddress } from '@/lib/limiter/written-address';

interface CommonOptions {
  sluice: LimitClient;
  /** Put before keys that are no addresses, to count them separately from those of other stores. */
  prefix?: string;
  /** Clock, for tests. */
  clock?: Clock;
}

interface ClassOptions extends CommonOptions {
  /** Endpoint class whose policy decides. */
  class: EndpointClass;
  limitName?: never;
  /** Kind of the keys: addresses, as `keyGenerator` returns by default, or other texts. Default: `ip`. */
  subject?: 'ip' | 'user';
}

interface NamedLimitOptions extends CommonOptions {
  /** Named limit that decides. Each key is a subject. */
  limitName: string;
  class?: never;
  subject?: never;
}

export type SluiceStoreOptions = ClassOptions | NamedLimitOptions;

/** Options of `rateLimit` that the store reads. */
interface LimiterOptions {
  windowMs: number;
  limit?: unknown;
  skipFailedRequests?: boolean;
  skipSuccessfulRequests?: boolean;
}

/** Number of hits of a key, and the time at which more are admitted. */
interface KeyHits {
  totalHits: number;
  resetTime: Date;
}

/** Requests of one key that may still be taken back. */
interface Pending {
  refused: number;
  ids: string[];
  /** Time after which no refund is possible, in milliseconds. */
  until: number;
}

/** Milliseconds in which a request can be refunded. */
const REFUND_WITHIN = 60_000;
/** Maximum number of keys with requests that may still be taken back. The oldest are evicted first. */
const MAX_PENDING = 10_000;
/** Maximum number of requests of one key that may still be taken back. */
const MAX_IDS = 1_000;

/**
 * Store for express-rate-limit 6 and later. Sluice counts and decides by the policy of the class, or by the named limit;
 * `limit` and `windowMs` of the middleware are compared with it.
 * @example
 * app.use(rateLimit({ limit: 50, windowMs: 60_000, store: new SluiceStore({ sluice, class: 'write' }) }));
 */
export class SluiceStore {
  /** Other processes count the same keys. */
  readonly localKeys = false;
  readonly prefix: string;
  readonly #options: SluiceStoreOptions;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  /** True if requests may be taken back, and whether refused ones too. */
  #takesBack = true;
  #takesBackRefused = true;
  #limit: number | null = null;
  #compare: ReturnType<typeof compareStated> | null = null;
  #hasWarned = false;

  constructor(options: SluiceStoreOptions) {
    const { clock = SYSTEM_CLOCK, prefix = '' } = options;
    this.#options = options;
    this.#clock = clock;
    this.prefix = prefix;
  }

  init({ windowMs, limit, skipFailedRequests = true, skipSuccessfulRequests = true }: LimiterOptions): void {
    this.#takesBack = skipFailedRequests || skipSuccessfulRequests;
    this.#takesBackRefused = skipFailedRequests;
    if (typeof limit !== 'number') return;
    this.#limit = limit;
    this.#compare = compareStated('express-rate-limit', { limit, milliseconds: windowMs });
  }

  /** Reads a key without counting. It needs a token of the role `viewer` or higher. */
  async get(key: string): Promise<KeyHits | undefined> {
    const { used, reset } = await readLimit(this.#options.sluice, this.#createCheck(key));
    if (used === null || used === 0) return undefined;
    return { totalHits: used, resetTime: new Date((reset ?? 0) * 1_000) };
  }

  /** @throws SluiceError if Sluice decides nothing: `service_unavailable`, `invalid_request` */
  async increment(key: string): Promise<KeyHits> {
    const check = { ...this.#createCheck(key), ...(this.#takesBack ? { refundable: true } : {}) };
    const answer = await this.#options.sluice.check(check);
    const now = this.#clock.now();
    if (!answer.allowed && !isOverLimit(answer)) throw buildFault(answer);
    this.#compare?.(answer, 1, now);
    if (this.#takesBack) this.#recordAnswer(key, answer, now);
    const { allowed, limit, remaining, reset, retry_after } = answer;
    if (!allowed) {
      // Above the limit of the middleware, so that it refuses too. The store cannot read a limit that a function sets.
      const hits = this.#limit === null ? Number.MAX_SAFE_INTEGER : Math.max(limit ?? 0, this.#limit) + 1;
      return { totalHits: hits, resetTime: new Date(now + (retry_after ?? 1) * 1_000) };
    }
    // The middleware accepts no count below 1, which a request without a limit has.
    const hits = limit === null || remaining === null ? 1 : Math.max(1, limit - remaining);
    return { totalHits: hits, resetTime: new Date(reset === null ? now : reset * 1_000) };
  }

  /** Refunds one request of a key. A failed refund is ignored: the request stays counted. */
  async decrement(key: string): Promise<void> {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    // Refused requests count nowhere, so taking one back changes nothing.
    if (pending.refused > 0) pending.refused -= 1;
    else {
      const id = pending.ids.pop();
      if (id !== undefined) await Promise.resolve(this.#options.sluice.refund?.({ id })).catch(() => undefined);
    }
    if (pending.refused === 0 && pending.ids.length === 0) this.#pending.delete(key);
  }

  /** Clears the counter of a key in the class or the named limit. It needs a token of the role `operator` or higher. */
  async resetKey(key: string): Promise<void> {
    this.#pending.delete(key);
    await resetLimit(this.#options.sluice, this.#createCheck(key));
  }

  #createCheck(key: string): SubjectCheck {
    const { class: name, subject = 'ip', limitName } = this.#options;
    if (limitName !== undefined) return { limits: [{ name: limitName, subject: `${this.prefix}${key}` }] };
    if (subject === 'user') return { class: name, user_id: `${this.prefix}${key}` };
    // By default the key of an IPv6 address is its range, such as `2001:db8::/56`.
    const address = readAddress(String(key).replace(/\/\d+$/, ''));
    if (address === null && !this.#hasWarned) {
      this.#hasWarned = true;
      console.warn("Keys that are no addresses share one counter. Set `subject: 'user'` to count them one by one.");
    }
    return { class: name, ip: address?.text ?? UNKNOWN_ADDRESS };
  }

  #recordAnswer(key: string, { allowed, id }: CheckAnswer, now: number): void {
    const found = this.#pending.get(key);
    const pending = found === undefined || found.until < now ? { refused: 0, ids: [], until: 0 } : found;
    pending.until = now + REFUND_WITHIN;
    if (id !== undefined) pending.ids.push(id);
    else if (!allowed && this.#takesBackRefused) pending.refused += 1;
    else return;
    if (pending.ids.length > MAX_IDS) pending.ids.shift();
    this.#pending.delete(key);
    this.#pending.set(key, pending);
    const [oldest] = this.#pending;
    if (oldest !== undefined && (oldest[1].until < now || this.#pending.size > MAX_PENDING))
      this.#pending.delete(oldest[0]);
  }
}

/** Error for the handler of the application, which answers with its status. */
function buildFault({ error = 'service_unavailable', error_description = '', retry_after }: CheckAnswer): SluiceError {
  const status = error === 'service_unavailable' ? 503 : 400;
  return new SluiceError(error, error_description, { status, retryAfter: retry_after ?? null });
}
