import type { SQL } from 'drizzle-orm';
import { isFaultNamed } from '@/lib/db/fault-name';
import type { Attempt, Verdict, Window } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** A group that was decided, or the news that the rules it was planned by are out of date (and nothing was touched). */
export type Commit = { kind: 'decided'; now: Millis; verdicts: readonly Verdict[] } | { kind: 'stale'; epoch: number };

/** One counter as it stands: its slots with hits, oldest first, floors already taken off. */
export interface CounterState {
  key: string;
  now: Millis;
  /** Start of the slot and what was counted in it. */
  slots: readonly { start: Millis; hits: number }[];
  /** The sum over the window. */
  used: number;
  reset: Millis;
}

/**
 * How a change of counters is made. Where the counters live in the same libSQL database as the rules, it is a list of
 * statements for the transaction that also writes the audit record; elsewhere it is an action that runs after it.
 */
export type CounterChange = { kind: 'statements'; statements: SQL[] } | { kind: 'action'; run: () => Promise<void> };

/** Which counters a reset clears: those whose key starts so, or those of all addresses in a range. */
export type CounterSelection = { prefix: string } | { keys: readonly string[] };

/** The store cannot be reached, or did not answer in time. The one place that knows what to do then is the breaker. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!isFaultNamed(value, 'StoreUnavailable')) return false;
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself.
    return this === StoreUnavailable || Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/**
 * Where the hits are kept. All promises of the engine rest on `commit`: one transaction or script call decides a whole
 * group, in order, each attempt all or nothing, exact across every process that shares the store.
 */
export interface CounterStore {
  readonly kind: 'embedded' | 'remote' | 'redis' | 'local';
  /**
   * Decides the attempts in order. `epoch` is the revision of the rules they were planned by; when the store knows a
   * newer one it touches nothing and answers `stale`.
   * @throws StoreUnavailable
   */
  commit(epoch: number, attempts: readonly Attempt[]): Promise<Commit>;
  /** Counters as they stand, in the order of the request. @throws StoreUnavailable */
  read(counters: readonly { key: string; window: Window }[]): Promise<CounterState[]>;
  /** Keys that exist and start so, for the inspector and resets of ranges. Bounded by `limit`. @throws StoreUnavailable */
  keys(prefix: string, limit: number): Promise<string[]>;
  /** Forgets what the selected counters counted. */
  clear(selection: CounterSelection): CounterChange;
  /** Sets the floor of a month's counter to its hits: usage becomes zero, the history stays. */
  forgive(key: string): CounterChange;
  /** Tells the store the newest revision of the rules, where it keeps the number apart from them. */
  publish(epoch: number): Promise<void>;
  /** Deletes slots that no window can see any more, at most `budget` rows; answers how many. */
  sweep(budget: number): Promise<number>;
  /**
   * Writes something that counts nothing: a store that can be read but not written (a full disk, a Redis without memory
   * or that became a replica) decides nothing. Bounded in time. @throws StoreUnavailable
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}
