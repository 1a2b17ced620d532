import { changeFromOutside } from '@/lib/admin/change';
import { listAnchoredMonths } from '@/lib/admin/counter-store/anchored-months';
import { SYSTEM } from '@/lib/auth/actor';
import {
  type ActiveStore,
  type CounterPlace,
  countInDatabase,
  describePlace,
  isSamePlace,
  readActiveStore,
  writeActiveStore,
} from '@/lib/counters/active-store';
import { formatRedisName } from '@/lib/counters/redis/redis-name';
import { RedisCounters } from '@/lib/counters/redis/store';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** The counters are in another store than the settings name. `message` is a sentence for the operator. */
export class CountersElsewhere extends Error {
  override readonly name = 'CountersElsewhere';
}

interface ClaimOptions {
  database: Database;
  store: CounterStore;
  redisUrl: string | undefined;
  clock: () => Millis;
  newId: () => string;
  /** The active store in the database, null if none is recorded. Read if it is missing here. */
  known?: ActiveStore | null;
}

/**
 * Compares the configured store with the active one, so that no quota restarts by accident.
 * The first start has nothing to compare. If no counter of the former store still counts, the configured store becomes
 * active.
 * @returns the place of the store
 * @throws CountersElsewhere
 */
export async function claimCounters(options: ClaimOptions): Promise<CounterPlace> {
  const { database, store, clock, newId } = options;
  const place = await describeConfiguredStore(options);
  const recorded = options.known !== undefined ? options.known : await readActiveStore(database);
  const active = recorded ?? (await detectActiveStore(options, place));
  if (active === null) {
    const first = { ...place, id: place.store === 'redis' ? (place.id ?? newId()) : null };
    await database.batch([writeActiveStore(database, first, { revision: 0, now: clock() })]);
    // Only the first write counts if several processes start together.
    return storeMark(store, (await readActiveStore(database)) ?? first);
  }
  if (active.from !== undefined) throw new CountersElsewhere(explainUnfinishedMove(active, active.from));
  if (isSamePlace(active, place)) {
    if (recorded === null) await database.batch([writeActiveStore(database, active, { revision: 0, now: clock() })]);
    return storeMark(store, { ...place, id: active.id }, place.id);
  }
  const counted =
    active.store === 'redis'
      ? null
      : await countInDatabase(database, active.store, await listAnchoredMonths(database), clock());
  if (counted !== 0) throw new CountersElsewhere(describeCountersElsewhere(active, place, counted));
  const next = { ...place, id: place.store === 'redis' ? (place.id ?? newId()) : null };
  await changeFromOutside(database, { actor: SYSTEM, reason: 'Nothing was counted before.', clock }, (revision) => ({
    audit: { action: 'counter_store.adopt', target: describePlace(next), before: active, after: next },
    statements: [writeActiveStore(database, next, { revision, now: clock() })],
  }));
  return storeMark(store, next);
}

/** Describes the store that the settings name. */
async function describeConfiguredStore({ store, redisUrl }: ClaimOptions): Promise<CounterPlace> {
  if (!(store instanceof RedisCounters) || redisUrl === undefined) {
    return { store: store.kind === 'remote' ? 'remote' : 'embedded', address: null, id: null };
  }
  const id = await store.readStoreId().catch(replaceIfDown(null));
  return { store: 'redis', address: formatRedisName(redisUrl), id };
}

/**
 * Finds the active store of an installation that has not recorded it.
 * That is the database if it holds counters, and the configured Redis was never used by Sluice. Null otherwise.
 */
async function detectActiveStore(
  { database, store, clock }: ClaimOptions,
  place: CounterPlace,
): Promise<ActiveStore | null> {
  if (!(store instanceof RedisCounters) || place.id !== null) return null;
  if (await store.isKnown().catch(replaceIfDown(true))) return null;
  const counted = await countInDatabase(database, database.kind, await listAnchoredMonths(database), clock());
  return counted === 0 ? null : { store: database.kind, address: null, id: null };
}

/** @param mark current mark of the store; a different mark is replaced */
async function storeMark(store: CounterStore, place: CounterPlace, mark: string | null = null): Promise<CounterPlace> {
  if (!(store instanceof RedisCounters) || place.id === null) return place;
  if (mark === place.id) store.renewStoreId(place.id);
  else await store.writeStoreId(place.id).catch(replaceIfDown(undefined));
  return place;
}

/** Handles a store that is down with a default value, so that it does not prevent the start. */
function replaceIfDown<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof StoreUnavailable) return otherwise;
    throw error;
  };
}

const MOVE = '`npx sluice counters move`';
const ADOPT = '`npx sluice counters adopt`';

function explainUnfinishedMove(active: ActiveStore, from: CounterPlace): string {
  return `Moving the counters from ${describePlace(from)} to ${describePlace(active)} was not finished: run ${MOVE} again.`;
}

/** @param counted number of counters of the former store that still count; null if unavailable */
function describeCountersElsewhere(active: ActiveStore, place: CounterPlace, counted: number | null): string {
  const what = counted === null ? 'The counters, with the quota usage of this month,' : `${counted} counters`;
  const configured = place.store === 'redis' ? `REDIS_URL names ${place.address}` : 'REDIS_URL is not set';
  const move = active.store === 'redis' ? `\`SLUICE_FROM_REDIS_URL=<address> npx sluice counters move\`` : MOVE;
  return [
    `${what} are in ${describePlace(active)}, and ${configured}.`,
    `Carry them over, once for all instances: ${move}. To do without them: ${ADOPT}.`,
  ].join('\n');
}
