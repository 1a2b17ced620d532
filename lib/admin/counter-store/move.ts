import { changeFromOutside } from '@/lib/admin/change';
import { listAnchoredMonths } from '@/lib/admin/counter-store/anchored-months';
import { type OpenedSnapshot, openSnapshot } from '@/lib/admin/counter-store/opened-snapshot';
import type { Actor } from '@/lib/auth/actor';
import {
  type ActiveStore,
  type CounterPlace,
  describePlace,
  isSamePlace,
  readActiveStore,
  writeActiveStore,
} from '@/lib/counters/active-store';
import { readInstallation } from '@/lib/counters/installation';
import { publishRevision, writeStoreId } from '@/lib/counters/redis/keys';
import { type CounterSum, copySnapshot, sumSnapshot } from '@/lib/counters/transfer/counter-snapshot';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** A move or an adoption that cannot run as requested. `message` is a sentence for the operator. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused';
}

export interface MoveOptions {
  database: Database;
  /** URL of the destination. Undefined if the counters go to the database. */
  redisUrl: string | undefined;
  /** URL of the Redis that the counters leave, if they are in Redis. */
  fromRedisUrl: string | undefined;
  /** True to replace counters of another installation. */
  overwrite: boolean;
  actor: Actor;
  clock: () => Millis;
  newId: () => string;
}

export interface Moved {
  from: CounterPlace;
  to: CounterPlace;
  /** Null if the counters were there already. */
  counters: CounterSum | null;
}

/**
 * Moves all counters to the configured store.
 * The first audit record stops decisions by the former store in every process. After the copy, a second record
 * activates the new store. If the move is interrupted, the former store keeps everything, and the next run repeats the
 * copy.
 * @throws MoveRefused, StoreUnavailable, DatabaseUnavailable
 */
export async function moveCounters(options: MoveOptions): Promise<Moved> {
  const { database, redisUrl, clock, newId } = options;
  const active = (await readActiveStore(database)) ?? { store: database.kind, address: null, id: null };
  const to = await openSnapshot(database, redisUrl === undefined ? database.kind : { redisUrl });
  try {
    const from = active.from ?? active;
    if (active.from === undefined && isSamePlace(active, to.place)) return { from, to: to.place, counters: null };
    if (isSamePlace(from, to.place)) throw new MoveRefused(giveUp(active, from));
    if (active.from !== undefined && active.address !== to.place.address)
      throw new MoveRefused(`The counters are on their way to ${describePlace(active)}: finish that first.`);
    const installation = await readInstallation(database, clock());
    const isForeign = to.installation !== null && to.installation !== installation;
    if (isForeign && !options.overwrite)
      throw new MoveRefused(
        `${describePlace(to.place)} holds counters of another Sluice installation: give this one a Redis database of its own, or replace them with --overwrite.`,
      );
    const source = await openSource(options, from);
    try {
      const chosen = active.from === undefined ? null : active.id;
      const target = { ...to.place, id: to.connection === null ? null : (to.place.id ?? chosen ?? newId()) };
      return {
        from,
        to: target,
        counters: await transferCounters(options, { from, source, to, target, installation }),
      };
    } finally {
      source.close();
    }
  } finally {
    to.close();
  }
}

const giveUp = (active: ActiveStore, from: CounterPlace) =>
  `The counters were on their way from ${describePlace(from)} to ${describePlace(active)}. To leave them where they are, run \`sluice counters adopt\`.`;

/** Opens the store that the counters leave. @throws MoveRefused if it is not the active store */
async function openSource({ database, fromRedisUrl }: MoveOptions, from: CounterPlace): Promise<OpenedSnapshot> {
  if (from.store !== 'redis') return openSnapshot(database, from.store);
  if (fromRedisUrl === undefined)
    throw new MoveRefused(
      `The counters are in ${describePlace(from)}: set SLUICE_FROM_REDIS_URL to its address with its credentials.`,
    );
  const source = await openSnapshot(database, { redisUrl: fromRedisUrl });
  if (isSamePlace(source.place, from)) return source;
  source.close();
  throw new MoveRefused(
    `SLUICE_FROM_REDIS_URL leads to ${describePlace(source.place)}, and the counters are in ${describePlace(from)}.`,
  );
}

interface Journey {
  from: CounterPlace;
  source: OpenedSnapshot;
  to: OpenedSnapshot;
  target: CounterPlace;
  installation: string;
}

async function transferCounters(
  options: MoveOptions,
  { from, source, to, target, installation }: Journey,
): Promise<CounterSum> {
  const { database, actor, clock } = options;
  const record = (action: 'counter_store.move' | 'counter_store.arrive', active: ActiveStore, counted: object) =>
    changeFromOutside(database, { actor, reason: null, clock }, (revision) => ({
      audit: { action, target: describePlace(target), before: from, after: { ...active, ...counted } },
      statements: [writeActiveStore(database, active, { revision, now: clock() })],
    }));
  const revision = await record('counter_store.move', { ...target, from }, {});
  // Decision groups in Redis compare their revision with the one stored there.
  if (source.connection !== null) await publishRevision(source.connection, revision, installation);
  await copySnapshot(source.snapshot, to.snapshot);
  const now = clock();
  const anchored = await listAnchoredMonths(database);
  const sumOpenedSnapshot = ({ snapshot }: OpenedSnapshot) => sumSnapshot(snapshot, anchored, now);
  const [before, after] = [await sumOpenedSnapshot(source), await sumOpenedSnapshot(to)];
  if (before.requests !== after.requests || before.keys !== after.keys)
    throw new MoveRefused(
      `The copy in ${describePlace(target)} counts ${after.requests} requests of ${after.keys} keys this month, and the original ${before.requests} of ${before.keys}. Run it again.`,
    );
  const arrived = await record('counter_store.arrive', target, after);
  if (to.connection !== null && target.id !== null) {
    await writeStoreId(to.connection, target.id);
    await publishRevision(to.connection, arrived, installation);
  }
  return after;
}
