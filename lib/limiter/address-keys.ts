import { type Address, toSubject } from '@/lib/limiter/address';
import { type CounterScope, counterKey } from '@/lib/limiter/counter-key';
import type { Seconds } from '@/lib/units';

const PLACE_BITS = 12;
const PLACES = 2 ** PLACE_BITS;

/**
 * The keys of the counters of addresses that come again and again. To write a key, and to hash it where it is looked up,
 * takes two fifths of a decision that needs no store; a key that is written once is hashed once. Each has one place, which
 * goes to an address that comes twice in a row, so that addresses that come once take none.
 */
export class AddressKeys {
  readonly #high = new Int32Array(PLACES);
  readonly #low = new Int32Array(PLACES);
  /** Seconds; negative where the address is one of IPv6. */
  readonly #windows = new Int32Array(PLACES);
  readonly #scopes: (CounterScope | null)[] = new Array(PLACES).fill(null);
  readonly #keys: string[] = new Array(PLACES).fill('');
  /** The hash of who came for each place last, and did not have it. */
  readonly #others = new Int32Array(PLACES);

  /** The key of a sliding window of an address, as `counterKey` writes it. */
  keyOf(address: Address, scope: CounterScope, seconds: Seconds): string {
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
