import { type Address, toSubject } from '@/lib/limiter/address';
import { type CounterScope, counterKey } from '@/lib/limiter/counter-key';
import type { Seconds } from '@/lib/units';

const PLACE_BITS = 12;
const PLACES = 2 ** PLACE_BITS;

/**
 * Cache of the counter keys of recurring addresses. Building a key and hashing it takes two fifths of a decision that
 * needs no store. A cached key string is hashed only once.
 *
 * Each key has one place in the cache. An address takes its place only if it appears twice in a row there, so addresses
 * that appear once evict nothing.
 */
export class AddressKeys {
  readonly #high = new Int32Array(PLACES);
  readonly #low = new Int32Array(PLACES);
  /** Length of the window in seconds. Negative for an IPv6 address. */
  readonly #windows = new Int32Array(PLACES);
  readonly #scopes: (CounterScope | null)[] = new Array(PLACES).fill(null);
  readonly #keys: string[] = new Array(PLACES).fill('');
  /** Hash of the last address that missed the cache, for each place. */
  readonly #others = new Int32Array(PLACES);

  /** Returns the key of a sliding window of an address, as `counterKey` builds it. */
  findKey(address: Address, scope: CounterScope, seconds: Seconds): string {
    const isShort = address.family === 4;
    // An IPv6 address is counted as its /64.
    const high = address.w0 | 0;
    const low = isShort ? 0 : address.w1 | 0;
    const window = isShort ? seconds : -seconds;
    const mixed = Math.imul(high, 0x9e3779b1) ^ Math.imul(low + window, 0x85ebca6b) ^ scope.charCodeAt(0);
    const hash = Math.imul(mixed, 0xc2b2ae35);
    const place = hash >>> (32 - PLACE_BITS);
    const isSame = this.#high[place] === high && this.#low[place] === low && this.#windows[place] === window;
    if (isSame && this.#scopes[place] === scope) return this.#keys[place] as string;
    const key = counterKey('ip', toSubject(address), scope, { kind: 'sliding', seconds });
    if (this.#others[place] === hash) {
      this.#high[place] = high;
      this.#low[place] = low;
      this.#windows[place] = window;
      this.#scopes[place] = scope;
      this.#keys[place] = key;
    }
    this.#others[place] = hash;
    return key;
  }
}
