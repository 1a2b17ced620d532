import { changeFromOutside } from '@/lib/admin/change';
import { listAnchoredMonths } from '@/lib/admin/counter-store/anchored-months';
import type { MoveOptions } from '@/lib/admin/counter-store/move';
import { openSnapshot } from '@/lib/admin/counter-store/opened-snapshot';
import {
  type CounterPlace,
  describePlace,
  isSamePlace,
  readActiveStore,
  writeActiveStore,
} from '@/lib/counters/active-store';
import { writeStoreId } from '@/lib/counters/redis/keys';
import { type CounterSum, sumSnapshot } from '@/lib/counters/transfer/counter-snapshot';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

interface Adoption {
  /** Store of the counters that the database records. Null if it records none. */
  from: CounterPlace | null;
  to: CounterPlace;
  /** Counters in the configured store. */
  found: CounterSum;
  /** Counters that are given up. Null if this process cannot read them. */
  lost: CounterSum | null;
  isNew: boolean;
}

type AdoptOptions = Pick<MoveOptions, 'database' | 'redisUrl' | 'actor' | 'clock' | 'newId'>;

/** Describes the effects of adopting the configured store. @throws StoreUnavailable, DatabaseUnavailable */
export async function planAdoption(options: Pick<AdoptOptions, 'database' | 'redisUrl' | 'clock'>): Promise<Adoption> {
  const { database, redisUrl, clock } = options;
  const active = await readActiveStore(database);
  const to = await openSnapshot(database, redisUrl === undefined ? database.kind : { redisUrl });
  try {
    const found = await sumSnapshot(to.snapshot, await listAnchoredMonths(database), clock());
    const from = active?.from ?? active;
    const isNew = active === null || active.from !== undefined || !isSamePlace(active, to.place);
    const lost = from === null || isSamePlace(from, to.place) ? NOTHING : await sumInDatabase(database, from, clock());
    return { from, to: to.place, found, lost, isNew };
  } finally {
    to.close();
  }
}

const NOTHING: CounterSum = { keys: 0, requests: 0, windows: 0 };

async function sumInDatabase(database: Database, { store }: CounterPlace, now: Millis): Promise<CounterSum | null> {
  if (store === 'redis') return null;
  const { snapshot } = await openSnapshot(database, store);
  return sumSnapshot(snapshot, await listAnchoredMonths(database), now);
}

/**
 * Makes the configured store the active one, with the counters that it holds. The counters of the previous store are
 * lost.
 * @throws StoreUnavailable, DatabaseUnavailable
 */
export async function adoptCounters(options: AdoptOptions, { from, to, lost }: Adoption): Promise<void> {
  const { database, redisUrl, actor, clock, newId } = options;
  const place = { ...to, id: redisUrl === undefined ? null : (to.id ?? newId()) };
  if (redisUrl !== undefined) {
    const { connection, close } = await openSnapshot(database, { redisUrl });
    if (connection !== null && place.id !== null) await writeStoreId(connection, place.id);
    close();
  }
  await changeFromOutside(database, { actor, reason: null, clock }, (revision) => ({
    audit: { action: 'counter_store.adopt', target: describePlace(place), before: from, after: { ...place, lost } },
    statements: [writeActiveStore(database, place, { revision, now: clock() })],
  }));
}
