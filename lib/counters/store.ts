import type { SQL } from 'drizzle-orm';
import { isFaultNamed } from '@/lib/db/errors';
import type { Charge } from '@/lib/limiter/corrections';
import type { Attempt, Meter, MonthWindow, Verdict, Window } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/**
 * The verdicts on a group, or `stale` with the store's revision, because the rules of the plan have changed. `settled`
 * is false for each settlement whose id the store remembers. Such a settlement changes nothing.
 */
export type Commit =
  | { kind: 'decided'; now: Millis; verdicts: readonly Verdict[]; settled: readonly boolean[] }
  | { kind: 'stale'; revision: number };

/** A counter, with the window to read it by. */
export type CounterRef = { readonly key: string; readonly window: Window };

/** The counter of a quota. */
export type MonthRef = { readonly key: string; readonly window: MonthWindow };

/** State of one counter: its slots with hits, oldest first. Floors are already subtracted. */
export interface CounterState {
  key: string;
  now: Millis;
  slots: readonly { start: Millis; hits: number }[];
  /** Sum over the window. */
  used: number;
  reset: Millis;
}

/**
 * A change of counters. If the counters are in the database of the rules, it is a list of statements for the
 * transaction that also writes the audit record. Otherwise it is an action that runs after that transaction.
 */
export type CounterChange = { kind: 'statements'; statements: SQL[] } | { kind: 'action'; run: () => Promise<void> };

/** Counters that a reset clears: all keys with a prefix, or the listed keys. */
export type CounterSelection = { prefix: string } | { keys: readonly string[] };

/** Storage of cleared counters, so that a reset can be undone. */
export interface KeptReset {
  /** Number of the audit record of the reset. */
  seq: number;
  /** When the copy may be deleted, by the wall clock. */
  until: Millis;
}

/**
 * Replaces the hits that an attempt has counted by those that it used. Unused hits are taken back from the slots in which they
 * were counted. Additional hits are counted now, even beyond the limit. A refund is a settlement with nothing used.
 */
export interface Settlement {
  /** Id of the attempt, printable ASCII. */
  readonly id: string;
  readonly charges: readonly Charge[];
  /** Time for which the store remembers the id, in milliseconds. */
  readonly keptFor: Millis;
}

/** Permits that were counted ahead, for one instance to spend. */
export interface Slice {
  /** The store's time. The permits were counted in its slot, and may be spent only there. */
  readonly now: Millis;
  /** Number of permits. 0 if little is left. */
  readonly permits: number;
  /** Count of the window after that, including these permits and those of other instances. */
  readonly used: number;
  /** Mark of the counter. A reset ends it. */
  readonly mark: string;
}

/** Permits of a slice that were not spent. */
export interface Unspent {
  readonly key: string;
  /** Slot in which they were counted. */
  readonly slot: number;
  readonly permits: number;
  readonly mark: string;
}

/** Operations for leases, of a store that several processes share. */
export interface Leasing {
  /**
   * Counts up to `permits` of a sliding window ahead, at most a quarter of what is left.
   * @returns null if the store holds another revision, or must decide a group first
   * @throws StoreUnavailable; the permits may still have been counted
   */
  take(revision: number, meter: Meter, permits: number): Promise<Slice | null>;
  /** Takes back permits that were counted ahead, unless the counter was reset since. @throws StoreUnavailable */
  returnPermits(unspent: readonly Unspent[]): Promise<void>;
}

/** The store is down, or did not answer in time. The breaker handles it. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!isFaultNamed(value, 'StoreUnavailable')) return false;
    // biome-ignore lint/complexity/noThisInStatic: a subclass checks for itself.
    return this === StoreUnavailable || Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/** Settlements of a group without any. */
export const NO_SETTLEMENTS: readonly Settlement[] = [];

/**
 * A store of hits. All guarantees of the engine rest on `commit`. One transaction or script call decides a whole group,
 * in order. Each attempt is all or nothing. The result is exact across every process that shares the store.
 */
export interface CounterStore {
  readonly kind: 'embedded' | 'remote' | 'redis' | 'local';
  /** True if the store is a Redis Cluster. */
  readonly isCluster?: boolean;
  /** Present only for Redis. */
  readonly leasing?: Leasing;
  /**
   * Compares the revision in the store with the database's, so that the first decision need not wait for both. The
   * revision must have been read after the store was opened, or after it was contacted. Writes and reads nothing.
   */
  prepare?(revision: number): void;
  /**
   * Applies the settlements in order, then decides the attempts in order. If the store holds another revision than that
   * of the plan, nothing changes.
   * @throws StoreUnavailable
   */
  commit(revision: number, attempts: readonly Attempt[], settlements?: readonly Settlement[]): Promise<Commit>;
  /** Reads the state of counters, in the given order. @throws StoreUnavailable */
  read(counters: readonly CounterRef[]): Promise<CounterState[]>;
  /** Lists existing keys with this prefix, sorted, at most `limit`. @throws StoreUnavailable */
  listKeys(prefix: string, limit: number): Promise<string[]>;
  /** Clears the selected counters. @param kept storage of the cleared hits; none by default */
  clear(selection: CounterSelection, kept?: KeptReset): CounterChange;
  /** Sets the floor of a month's counter to its hits. The usage becomes 0, and the history stays. */
  resetUsage(counter: MonthRef, kept?: KeptReset): CounterChange;
  /** Adds back, slot by slot, the hits that the reset with this number has kept. Later hits stay. Works once. */
  restore(seq: number): CounterChange;
  /** Announces the newest revision to a store that keeps its own copy of the number. */
  publish(revision: number): Promise<void>;
  /** Deletes slots that no window covers. @returns how many of the `budget` checked rows were deleted */
  sweep(budget: number): Promise<number>;
  /**
   * Checks in bounded time that the store can be written. A full disk, a Redis without memory, or a replica fails.
   * @throws StoreUnavailable
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}
