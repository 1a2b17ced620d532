import type { SQL } from 'drizzle-orm';
import { isFaultNamed } from '@/lib/db/errors';
import type { Attempt, Meter, MonthWindow, Verdict, Window } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** The verdicts on a group, or `stale` with the store's revision: the rules it was planned by have changed. */
export type Commit =
  | { kind: 'decided'; now: Millis; verdicts: readonly Verdict[] }
  | { kind: 'stale'; revision: number };

/** A counter and the window to read it by. */
export type CounterRef = { readonly key: string; readonly window: Window };

/** The counter of a quota. */
export type MonthRef = { readonly key: string; readonly window: MonthWindow };

/** One counter as it stands: its slots with hits, oldest first, floors already subtracted. */
export interface CounterState {
  key: string;
  now: Millis;
  slots: readonly { start: Millis; hits: number }[];
  /** The sum over the window. */
  used: number;
  reset: Millis;
}

/**
 * How a change of counters is made. Where the counters live in the database of the rules, it is a list of statements
 * for the transaction that also writes the audit record; elsewhere it is an action that runs after it.
 */
export type CounterChange = { kind: 'statements'; statements: SQL[] } | { kind: 'action'; run: () => Promise<void> };

/** The counters that a reset clears: all keys with a prefix, or those listed. */
export type CounterSelection = { prefix: string } | { keys: readonly string[] };

/** Where a reset keeps what it clears, so that it can be undone. */
export interface KeptReset {
  /** Of its audit record. */
  seq: number;
  /** When it may be forgotten, by the wall clock. */
  until: Millis;
}

/** What an attempt has counted in one counter, at a time of the store. */
export interface Charge extends CounterRef {
  readonly at: Millis;
  readonly cost: number;
}

/** For how long a store remembers a refund, in milliseconds: longer than one may be asked for. */
export const REFUND_KEPT: Millis = 120_000;

/** Permits that were counted ahead, for one instance to spend. */
export interface Slice {
  /** The store's time: they were counted in its slot, and may be spent in no other. */
  readonly now: Millis;
  /** How many: 0 where little is left. */
  readonly permits: number;
  /** What the window sees then, these permits and those of other instances included. */
  readonly used: number;
  /** Of the counter, until it is reset. */
  readonly mark: string;
}

/** Permits of a slice that were not spent. */
export interface Unspent {
  readonly key: string;
  /** In which they were counted. */
  readonly slot: number;
  readonly permits: number;
  readonly mark: string;
}

/** What leases need of a store that several processes share. */
export interface Leasing {
  /**
   * Counts up to `permits` of a sliding window ahead, at most a quarter of what is left.
   * @returns null where the store knows another revision, and where it has to be asked for a decision first
   * @throws StoreUnavailable; they may have been counted all the same
   */
  take(revision: number, meter: Meter, permits: number): Promise<Slice | null>;
  /** Takes back what was counted ahead, where the counter was not reset since. @throws StoreUnavailable */
  giveBack(unspent: readonly Unspent[]): Promise<void>;
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

/**
 * Where the hits are kept. All guarantees of the engine rest on `commit`: one transaction or script call decides a whole
 * group, in order, each attempt all or nothing, exact across every process that shares the store.
 */
export interface CounterStore {
  readonly kind: 'embedded' | 'remote' | 'redis' | 'local';
  /** Whether it has turned out to be a Redis Cluster. */
  readonly isCluster?: boolean;
  /** Only of Redis. */
  readonly leasing?: Leasing;
  /**
   * Decides the attempts in order, unless the store knows another revision than that of the rules they were planned by:
   * then nothing is touched.
   * @throws StoreUnavailable
   */
  commit(revision: number, attempts: readonly Attempt[]): Promise<Commit>;
  /** Counters as they stand, in the given order. @throws StoreUnavailable */
  read(counters: readonly CounterRef[]): Promise<CounterState[]>;
  /** Existing keys with this prefix, sorted, at most `limit`. @throws StoreUnavailable */
  listKeys(prefix: string, limit: number): Promise<string[]>;
  /** Deletes what the selected counters counted. @param kept where it is kept; by default it is gone */
  clear(selection: CounterSelection, kept?: KeptReset): CounterChange;
  /** Sets the floor of a month's counter to its hits: usage becomes 0, the history stays. */
  resetUsage(counter: MonthRef, kept?: KeptReset): CounterChange;
  /** Adds back, slot by slot, what the reset with this number has kept; what was counted since stays. Once. */
  restore(seq: number): CounterChange;
  /**
   * Takes back what an attempt has counted, all of it in one transaction, from the slots in which it was counted.
   * @param id of the attempt, printable ASCII
   * @returns false where that id was refunded within `REFUND_KEPT`; then nothing is touched
   * @throws StoreUnavailable
   */
  refund(id: string, charges: readonly Charge[]): Promise<boolean>;
  /** Announces the newest revision to a store that keeps its own copy of the number. */
  publish(revision: number): Promise<void>;
  /** Deletes slots that no window sees any more. @returns how many of the `budget` rows looked at went */
  sweep(budget: number): Promise<number>;
  /**
   * Checks that the store can be written (not a full disk, a Redis without memory, or a replica), in bounded time.
   * @throws StoreUnavailable
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}
