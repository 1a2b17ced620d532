import { LRUCache } from 'lru-cache';
import { parseAddress, subjectOf } from '@/lib/limiter/address';
import type { Millis, Seconds } from '@/lib/units';

/** Wrong tokens that an address may send in a window before it is told to wait. */
export const FAILED_TOKEN_LIMIT = 120;
export const FAILED_TOKEN_WINDOW: Millis = 60_000;

/** Addresses that are remembered at a time; the ones that were heard of longest ago go first. */
const ADDRESSES = 20_000;

/**
 * Slows down whoever tries tokens: a sliding log of the wrong ones for each address (IPv6 by /64), in this process. Only
 * an answer to a wrong token ever changes by it, so nobody can lock the holder of a right one out.
 */
export class FailedTokens {
  readonly #log = new LRUCache<string, Millis[]>({ max: ADDRESSES });

  /**
   * Notes a wrong token.
   * @returns null while the address may go on, else how long it has to wait, at least 1
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
