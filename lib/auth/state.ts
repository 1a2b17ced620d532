import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { lastUses } from '@/drizzle/schema';
import { TokenReader } from '@/lib/auth/token-reader';
import type { Database } from '@/lib/db/database';
import type { OriginSettings } from '@/lib/http/request-origin';
import { formatAddressSubject, parseAddress } from '@/lib/limiter/address';
import { Semaphore } from '@/lib/semaphore';
import type { Millis, Seconds } from '@/lib/units';

/** State of authentication in one process. */
export interface AuthState {
  readonly tokens: TokenReader;
  readonly failures: FailedTokens;
  readonly uses: LastUse;
  /** Limits concurrent password verifications. Each takes 19 MiB and a core for some tens of milliseconds. */
  readonly passwords: Semaphore;
}

/** Services that functions of this module need. The services of a process include all of them. */
export interface AuthServices {
  readonly database: Database;
  readonly config: OriginSettings & { readonly SLUICE_ADMIN_TOKEN?: string | undefined };
  readonly auth: AuthState;
  /** Wall clock. */
  readonly clock: () => Millis;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Secret that signs sessions. */
  readonly authSecret: string;
}

/** @param rules see `TokenReader` */
export function createAuthState(database: Database, rules: ConstructorParameters<typeof TokenReader>[1]): AuthState {
  return {
    tokens: new TokenReader(database, rules),
    failures: new FailedTokens(),
    uses: new LastUse(database),
    passwords: new Semaphore(2, 100),
  };
}

/** Most wrong tokens per address and window. */
export const FAILED_TOKEN_LIMIT = 120;
export const FAILED_TOKEN_WINDOW: Millis = 60_000;

/**
 * Throttles token guessing: a sliding log of wrong tokens per address (IPv6: per /64), in this process. It affects only
 * answers to wrong tokens, so the holder of a valid token cannot be locked out.
 */
class FailedTokens {
  readonly #log = new LRUCache<string, Millis[]>({ max: 20_000 });

  /** Records a wrong token. @returns null below the limit, else the time to wait, at least 1 */
  note(address: string | null, now: Millis): Seconds | null {
    const parsed = address === null ? null : parseAddress(address);
    const key = parsed === null ? 'unknown' : formatAddressSubject(parsed);
    const recent = (this.#log.get(key) ?? []).filter((time) => time > now - FAILED_TOKEN_WINDOW && time <= now);
    this.#log.set(key, recent);
    const [oldest] = recent;
    if (recent.length >= FAILED_TOKEN_LIMIT && oldest !== undefined)
      return Math.max(1, Math.ceil((oldest + FAILED_TOKEN_WINDOW - now) / 1000));
    recent.push(now);
    return null;
  }
}

/** Shortest time between two writes for one subject. */
const LAST_USE_STEP: Millis = 60_000;

/** Time during which uses are collected before they are written together. */
const BATCH_DELAY: Millis = 1_000;

/**
 * Records when a credential was last used, after the request and outside of the audit chain. A use that cannot be
 * written is dropped, because it is only informative.
 */
class LastUse {
  readonly #noted = new Map<string, Millis>();
  #pending = new Map<string, Millis>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  /** @param subject `token:<id>`, `member:<id>`, ... */
  note(subject: string, now: Millis): void {
    const before = this.#noted.get(subject);
    if (before !== undefined && now - before < LAST_USE_STEP && now >= before) return;
    if (this.#noted.size >= 10_000) this.#noted.clear();
    this.#noted.set(subject, now);
    this.#pending.set(subject, now);
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_DELAY).unref();
  }

  /** Writes pending uses. Runs a second after a use, and when the process stops. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    if (pending.size === 0) return;
    this.#pending = new Map();
    const newest = { target: lastUses.subject, set: { at: sql`max(${lastUses.at}, excluded.at)` } };
    const statements = Array.from(pending, ([subject, at]) =>
      this.database.drizzle.insert(lastUses).values({ subject, at }).onConflictDoUpdate(newest),
    );
    await this.database.batch(statements).catch(() => undefined);
  }
}
