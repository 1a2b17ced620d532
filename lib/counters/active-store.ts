import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { counterMonths, counterSlots, counterWindows } from '@/drizzle/counters-schema';
import { settings } from '@/drizzle/schema';
import { type CounterStore, type Leasing, StoreUnavailable } from '@/lib/counters/store';
import type { AnchoredMonths } from '@/lib/counters/transfer/counter-snapshot';
import { settleFile } from '@/lib/counters/transfer/file-snapshot';
import type { Database, Statement } from '@/lib/db/database';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Name of the row in `settings`. */
export const ACTIVE_STORE_SETTING = 'counter-store';

const Place = z.object({
  store: z.enum(['embedded', 'remote', 'redis']),
  /** Address of Redis, without credentials. */
  address: z.string().nullable(),
  /** Id of the store, which Redis also stores. */
  id: z.string().nullable(),
});

/** A place where counters can be. */
export type CounterPlace = z.output<typeof Place>;

const ActiveStoreSchema = Place.extend({
  /** Set during a move: the previous place of the counters. No store decides until the move has ended. */
  from: Place.optional(),
});

/** The active store of an installation, as its database records it. */
export type ActiveStore = z.output<typeof ActiveStoreSchema>;

export const parseActiveStore = (value: unknown): ActiveStore => ActiveStoreSchema.parse(value);

/** Reads the active store. Returns null before the first start that recorded it. @throws DatabaseUnavailable */
export async function readActiveStore({ drizzle }: Pick<Database, 'drizzle'>): Promise<ActiveStore | null> {
  const [row] = await drizzle
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.name, ACTIVE_STORE_SETTING));
  return row === undefined ? null : parseActiveStore(JSON.parse(row.value));
}

/** @param revision revision of the audit record; 0 at the first start, which changes nothing */
export function writeActiveStore(
  { drizzle }: Pick<Database, 'drizzle'>,
  active: ActiveStore,
  { revision, now }: { revision: number; now: Millis },
): Statement {
  const row = { value: JSON.stringify(active), updatedAt: now, revision };
  const insert = drizzle.insert(settings).values({ name: ACTIVE_STORE_SETTING, ...row });
  if (revision === 0) return insert.onConflictDoNothing();
  return insert.onConflictDoUpdate({ target: settings.name, set: row });
}

/** Returns whether two places are the same, by their ids, or by their addresses if one has no id. */
export function isSamePlace(one: CounterPlace, other: CounterPlace): boolean {
  if (one.store !== other.store) return false;
  if (one.store !== 'redis') return true;
  return one.id !== null && other.id !== null ? one.id === other.id : one.address === other.address;
}

/** Describes a place with an article: "the database file", "Redis at redis://cache:6379/0". */
export function describePlace({ store, address }: Pick<CounterPlace, 'store' | 'address'>): string {
  if (store === 'redis') return `Redis at ${address}`;
  return store === 'embedded' ? 'the database file' : 'the libSQL server';
}

/**
 * Counts the counters of the database that still hold hits. If there are none, nothing is lost without them. In a file,
 * journaled hits are first moved into the tables.
 */
export async function countInDatabase(
  { drizzle, client }: Pick<Database, 'drizzle' | 'client'>,
  store: 'embedded' | 'remote',
  anchored: AnchoredMonths,
  now: Millis,
): Promise<number> {
  if (store === 'remote') {
    return drizzle.$count(counterSlots, sql`hits > floor and expires > ${now}`);
  }
  await settleFile(client);
  const windows = await drizzle.$count(counterWindows, sql`expires > ${now}`);
  const months = JSON.stringify([...anchored].map(([key, { anchor }]) => [key, computeCalendarMonth(now, anchor)]));
  const isPresent = sql`coalesce(month = anchored.present, month = ${computeCalendarMonth(now)})`;
  const [row] = await drizzle.all<{ count: number }>(sql`
    with anchored as materialized (select value ->> 0 as key, value ->> 1 as present from json_each(${months}))
    select count(*) as count from ${counterMonths} left join anchored using (key) where hits > floor and ${isPresent}`);
  return windows + (row?.count ?? 0);
}

/**
 * Wraps a store, which decides nothing after the counters were moved to another store. A move writes an audit record,
 * so the next group detects stale rules. The new rules name the active store.
 * @param place place of the store itself
 * @param current returns the active store in the rules, or null if the counters were never moved
 */
export function fenceStore(store: CounterStore, place: CounterPlace, current: () => ActiveStore | null): CounterStore {
  const requireActiveStore = (): CounterStore => {
    const active = current();
    if (active === null || (active.from === undefined && isSamePlace(active, place))) return store;
    const words = describePlace(active);
    throw new StoreUnavailable(
      active.from === undefined
        ? `The counters were moved to ${words}: start this process with the settings for that.`
        : `The counters are being moved to ${words}.`,
    );
  };
  return {
    kind: store.kind,
    get isCluster() {
      return store.isCluster === true;
    },
    ...(store.leasing === undefined ? {} : { leasing: fenceLeasing(store.leasing, requireActiveStore) }),
    // This call creates no promise, because decisions use it.
    commit: (revision, attempts, settlements) => {
      try {
        return requireActiveStore().commit(revision, attempts, settlements);
      } catch (fault) {
        return Promise.reject(fault);
      }
    },
    read: async (counters) => requireActiveStore().read(counters),
    listKeys: async (prefix, limit) => requireActiveStore().listKeys(prefix, limit),
    clear: (selection, kept) => requireActiveStore().clear(selection, kept),
    resetUsage: (counter, kept) => requireActiveStore().resetUsage(counter, kept),
    restore: (seq) => requireActiveStore().restore(seq),
    publish: (revision) => store.publish(revision),
    sweep: async (budget) => requireActiveStore().sweep(budget),
    ping: async () => requireActiveStore().ping(),
    close: () => store.close(),
  };
}

function fenceLeasing(leasing: Leasing, requireActiveStore: () => unknown): Leasing {
  return {
    take: async (revision, meter, permits) => {
      requireActiveStore();
      return leasing.take(revision, meter, permits);
    },
    // Permits are returned to the store that lent them.
    returnPermits: (unspent) => leasing.returnPermits(unspent),
  };
}
