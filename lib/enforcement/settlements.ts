import { z } from 'zod';
import { deriveKey, seal, unseal } from '@/lib/auth/sealed';
import { REFUND_WITHIN } from '@/lib/contract/refund';
import { isCandidateKey } from '@/lib/enforcement/candidates';
import type { Charged, ChargedCounter } from '@/lib/enforcement/decision';
import type { Engine } from '@/lib/enforcement/engine';
import type { ResetLog } from '@/lib/enforcement/reset-log';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';
import { decodeWindow, encodeWindow } from '@/lib/limiter/month-anchor';
import type { SettledUse } from '@/lib/statistics/limit-tally';
import type { Millis } from '@/lib/units';

interface SettlementOptions {
  engine: Pick<Engine, 'settle'>;
  resets: ResetLog;
  /** Time of the counter store, as this process estimates it. */
  clock: () => Millis;
  randomBytes: (size: number) => Uint8Array;
  authSecret: string;
  /** Receives what settlements and refunds replaced, for the statistics. */
  record?: (at: Millis, uses: readonly SettledUse[]) => void;
}

const NamedCounter = z.tuple([z.string(), z.int(), z.int().min(0), z.string(), z.int()]);

/**
 * Content of an id: revision, time, cost, the counters, and the time in which it can be settled (0: not at all). A counter
 * is its key, its window (see `encodeWindow`), its cost, the named limit, and 1 for a place in flight.
 */
const Sealed = z.tuple([
  z.int(),
  z.int(),
  z.int().min(0),
  z.array(z.union([z.tuple([z.string(), z.int()], z.int().min(0)), NamedCounter])),
  z.int().min(0).default(0),
]);

/** Length of the nonce (12 bytes) at the start of an id. It is unique per id. */
const NONCE_LENGTH = 16;
/** Random bytes that are read at once. */
const POOL_LENGTH = 4_096;
/** Ids of one generation whose counts are cached. */
const MOST_CACHED = 4_096;
/** Time for which a store remembers an id after it has ended, because clocks differ. */
const MARGIN: Millis = 60_000;

/**
 * Gives back or settles what decisions have counted. Nothing is stored until then: the id of a decision is a sealed list
 * of its counts. Any instance with the same authentication secret can therefore do it.
 */
export class Settlements {
  readonly #sealing: { key: Uint8Array; place: string };
  #pool: Uint8Array = new Uint8Array(0);
  /** The newest ids of this process and their counts, and those of the generation before. They need not be unsealed. */
  #cached = new Map<string, Charged>();
  #cachedBefore = new Map<string, Charged>();

  constructor(private readonly options: SettlementOptions) {
    this.#sealing = { key: deriveKey(options.authSecret, 'sluice refund'), place: 'decision' };
  }

  /** Returns the id by which a decision can be refunded or settled. */
  createId({ revision, at, cost, counters, settleWithin = 0 }: Charged): string {
    const counted = mergeCounters(counters, cost);
    const sealed = counted.map(({ key, window, cost: own, named }) => {
      const code = encodeWindow(window);
      if (named !== undefined) return [key, code, own, named.name, named.isPlace ? 1 : 0];
      return own === cost ? [key, code] : [key, code, own];
    });
    const text = JSON.stringify([revision, at, cost, sealed, settleWithin]);
    const id = seal(text, this.#sealing, (size) => this.#createNonce(size, at));
    if (this.#cached.size >= MOST_CACHED) {
      this.#cachedBefore = this.#cached;
      this.#cached = new Map();
    }
    this.#cached.set(id, { revision, at, cost, counters: counted, settleWithin });
    return id;
  }

  /** Creates a nonce that begins with the low bits of the second. So stores keep ids of one time together. */
  #createNonce(size: number, at: Millis): Uint8Array {
    if (this.#pool.length < size) this.#pool = this.options.randomBytes(POOL_LENGTH);
    const nonce = this.#pool.subarray(0, size);
    this.#pool = this.#pool.subarray(size);
    const second = Math.floor(at / 1000);
    nonce[0] = second >> 8;
    nonce[1] = second;
    return nonce;
  }

  /**
   * Refunds the counts of a decision. Counters that were reset since are skipped, because the reset has cleared them.
   * @throws ApiError not_found if the id is invalid or older than `REFUND_WITHIN`, conflict if it was refunded or settled
   *   before
   * @throws StoreUnavailable
   */
  async refund(id: string): Promise<void> {
    const charged = this.#read(id);
    if (charged === null || this.options.clock() - charged.at > REFUND_WITHIN * 1000)
      throw new ApiError('not_found', `There is no such decision of the last ${REFUND_WITHIN} seconds.`);
    await this.#replace(id, charged, () => 0);
  }

  /**
   * Replaces the units that a check has reserved by those that were used, and frees its places. A limit that `used` does
   * not name keeps its reserved units.
   * @param used units, by the name of the limit
   * @throws ApiError not_found if the id is invalid or its time is over, conflict if it was settled or refunded before,
   *   invalid_request if the check did not name a limit
   * @throws StoreUnavailable
   */
  async settle(id: string, used: Readonly<Record<string, number>>): Promise<void> {
    const charged = this.#read(id);
    const within = charged?.settleWithin ?? 0;
    if (charged === null || this.options.clock() - charged.at > within * 1000)
      throw new ApiError('not_found', 'There is no such check, or it can no longer be settled.');
    const names = new Set(charged.counters.flatMap(({ named }) => named?.name ?? []));
    // A request that bypassed has counted nothing.
    if (names.size > 0) {
      for (const name of Object.keys(used))
        if (!names.has(name)) throw createInvalidField(`costs.${name}`, 'must name a limit of the check');
    }
    await this.#replace(id, charged, ({ named }) => {
      if (named === undefined) return undefined;
      return named.isPlace ? 0 : Object.hasOwn(used, named.name) ? used[named.name] : undefined;
    });
  }

  /** Replaces the cost of each counter. @param findUsed returns undefined if the cost of a counter stands */
  async #replace(
    id: string,
    { revision, at, cost, counters, settleWithin = 0 }: Charged,
    findUsed: (counter: ChargedCounter) => number | undefined,
  ): Promise<void> {
    const { engine, resets } = this.options;
    const charges = counters.flatMap((counter) => {
      const used = findUsed(counter);
      return used === undefined ? [] : { ...counter, cost: counter.cost ?? cost, used };
    });
    const listCharges = () => charges.filter(({ key }) => !resets.hasCleared(key, revision));
    const keptFor = Math.max(REFUND_WITHIN, settleWithin) * 1000 + MARGIN;
    const isFirst = await engine.settle({
      prepare: (rules) => resets.read(revision, rules),
      plan: () => ({
        id: id.slice(0, NONCE_LENGTH),
        charges: listCharges().map(({ key, window, cost: own, used }) => ({ key, window, at, cost: own, used })),
        keptFor,
      }),
    });
    if (!isFirst) throw new ApiError('conflict', 'This decision was refunded or settled before.');
    const uses = sumByLimit(listCharges());
    if (uses.length > 0) this.options.record?.(this.options.clock(), uses);
  }

  #read(id: string): Charged | null {
    const cached = this.#cached.get(id) ?? this.#cachedBefore.get(id);
    if (cached !== undefined) return cached;
    let text: string;
    try {
      text = unseal(id, this.#sealing);
    } catch {
      return null;
    }
    const [revision, at, cost, stored, settleWithin] = Sealed.parse(JSON.parse(text));
    const counters = stored.map(([key, code, own = cost, name, isPlace]): ChargedCounter => {
      const counter = { key, window: decodeWindow(code), cost: own };
      return typeof name === 'string' ? { ...counter, named: { name, isPlace: isPlace === 1 } } : counter;
    });
    return { revision, at, cost, counters, settleWithin };
  }
}

interface ReplacedCounter extends ChargedCounter {
  readonly cost: number;
  readonly used: number;
}

/** Sums the replaced units of each named limit. All windows of a limit count the same units, and places have none. */
function sumByLimit(counters: readonly ReplacedCounter[]): SettledUse[] {
  const uses = new Map<string, SettledUse & { window: number }>();
  for (const { key, named, window, cost, used } of counters) {
    if (named === undefined || named.isPlace || isCandidateKey(key)) continue;
    const code = encodeWindow(window);
    const sum = uses.get(named.name) ?? { name: named.name, window: code, units: 0, used: 0 };
    uses.set(named.name, sum);
    if (sum.window !== code) continue;
    sum.units += cost;
    sum.used += used;
  }
  return [...uses.values()].map(({ name, units, used }) => ({ name, units, used }));
}

/** Lists each key once. A key that several meters name was counted once, with the largest of their costs. */
function mergeCounters(counters: readonly ChargedCounter[], cost: number): (ChargedCounter & { cost: number })[] {
  const counted = new Map<string, ChargedCounter & { cost: number }>();
  for (const { key, window, named, cost: own = cost } of counters) {
    const counter = { key, window, cost: Math.max(own, counted.get(key)?.cost ?? 0) };
    counted.set(key, named === undefined ? counter : { ...counter, named });
  }
  return [...counted.values()];
}

/** Returns whether a request counts if it was answered with this status. */
export function isCountedAnswer({ counts = 'all' }: Pick<Charged, 'counts'>, status: number): boolean {
  return counts === 'all' || counts === (status >= 400 ? 'failures' : 'successes');
}
