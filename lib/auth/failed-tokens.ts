import { LRUCache } from 'lru-cache';
import { parseAddress, subjectOf } from '@/lib/limiter/address';
import type { Millis, Seconds } from '@/lib/units';

/** Wrong tokens per address and window. */
export const FAILED_TOKEN_LIMIT = 120;
export const FAILED_TOKEN_WINDOW: Millis = 60_000;

/** Addresses kept at a time; the least recently seen are evicted first. */
const ADDRESSES = 20_000;

/**
 * Throttles token guessing: a sliding log of wrong tokens per address (IPv6: per /64), in this process. It only changes
 * answers to wrong tokens, so the holder of a valid one cannot be locked out.
 */
export class FailedTokens {
  readonly #log = new LRUCache<string, Millis[]>({ max: ADDRESSES });

  /**
   * Notes a wrong token.
   * @returns null below the limit, else how long to wait, at least 1
   */
  note(address: string | null, now: Millis): Seconds | null {
    const parsed = address === null ? null : parseAddress(address);
    const key = parsed === null ? 'unknown' : subjectOf(parsed);
    const recent = (this.#log.get(key) ?? []).filter((time) => time > now - FAILED_TOKEN_WINDOW && time <= now);
    const oldest = recent[0];
    if (recent.length >= FAILED_TOKEN_LIMIT && oldest !== undefined) {
      this.#log.set(key, recent);
      return Math.max(1, Math.ceil((oldest + FAILED_TOKEN_WINDOW - now) / 1000));
    }
    recent.push(now);
    this.#log.set(key, recent);
    return null;
  }
}
