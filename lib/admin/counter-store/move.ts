import { changeFromOutside } from '@/lib/admin/change';
import { anchoredMonths } from '@/lib/admin/counter-store/anchored-months';
import { type OpenedShelf, openShelf } from '@/lib/admin/counter-store/opened-shelf';
import type { Actor } from '@/lib/auth/actor';
import {
  type CounterHome,
  type CounterPlace,
  isSamePlace,
  placeWords,
  readHomeSetting,
  writeHomeSetting,
} from '@/lib/counters/home';
import { installationOf } from '@/lib/counters/installation';
import { publishRevision, writeHome } from '@/lib/counters/redis/keys';
import { type CounterSum, copyShelf, sumOfShelf } from '@/lib/counters/transfer/counter-shelf';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** Moving or adopting is not possible as it is; `message` is a sentence for the operator. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused';
}

export interface MoveOptions {
  database: Database;
  /** Where the counters go; they go to the database when it is undefined. */
  redisUrl: string | undefined;
  /** The Redis that they leave, when they leave one. */
  fromRedisUrl: string | undefined;
  /** Also replace counters of another installation. */
  overwrite: boolean;
  actor: Actor;
  clock: () => Millis;
  newId: () => string;
}

export interface Moved {
  from: CounterPlace;
  to: CounterPlace;
  /** Null when they were there already. */
  counters: CounterSum | null;
}

/**
 * Moves all counters to the configured store. First an audit record says so: from then on nothing decides by the former
 * store, in any process. Then they are copied, and the record that they have arrived lets the new store decide. When it
 * is interrupted, the former store has everything still, and the next run begins the copy anew.
 * @throws MoveRefused, StoreUnavailable, DatabaseUnavailable
 */
export async function moveCounters(options: MoveOptions): Promise<Moved> {
  const { database, redisUrl, clock, newId } = options;
  const home = (await readHomeSetting(database)) ?? { store: database.kind, address: null, id: null };
  const to = await openShelf(database, redisUrl === undefined ? database.kind : { redisUrl });
  try {
    const from = home.from ?? home;
    if (home.from === undefined && isSamePlace(home, to.place)) return { from, to: to.place, counters: null };
    if (isSamePlace(from, to.place)) throw new MoveRefused(giveUp(home, from));
    if (home.from !== undefined && home.address !== to.place.address)
      throw new MoveRefused(`The counters are on their way to ${placeWords(home)}: finish that first.`);
    const installation = await installationOf(database, clock());
    const isForeign = to.installation !== null && to.installation !== installation;
    if (isForeign && !options.overwrite)
      throw new MoveRefused(
        `${placeWords(to.place)} holds counters of another Sluice installation: give this one a Redis database of its own, or replace them with --overwrite.`,
      );
    const source = await openSource(options, from);
    try {
      const chosen = home.from === undefined ? null : home.id;
      const target = { ...to.place, id: to.connection === null ? null : (to.place.id ?? chosen ?? newId()) };
      return { from, to: target, counters: await carry(options, { from, source, to, target, installation }) };
    } finally {
      source.close();
    }
  } finally {
    to.close();
  }
}

const giveUp = (home: CounterHome, from: CounterPlace) =>
  `The counters were on their way from ${placeWords(from)} to ${placeWords(home)}. To leave them where they are, run \`sluice counters adopt\`.`;

/** The store that the counters leave. @throws MoveRefused when it is another one than the database remembers */
async function openSource({ database, fromRedisUrl }: MoveOptions, from: CounterPlace): Promise<OpenedShelf> {
  if (from.store !== 'redis') return openShelf(database, from.store);
  if (fromRedisUrl === undefined)
    throw new MoveRefused(
      `The counters are in ${placeWords(from)}: set SLUICE_FROM_REDIS_URL to its address with its credentials.`,
    );
  const source = await openShelf(database, { redisUrl: fromRedisUrl });
  if (isSamePlace(source.place, from)) return source;
  source.close();
  throw new MoveRefused(
    `SLUICE_FROM_REDIS_URL leads to ${placeWords(source.place)}, and the counters are in ${placeWords(from)}.`,
  );
}

interface Journey {
  from: CounterPlace;
  source: OpenedShelf;
  to: OpenedShelf;
  target: CounterPlace;
  installation: string;
}

async function carry(options: MoveOptions, { from, source, to, target, installation }: Journey): Promise<CounterSum> {
  const { database, actor, clock } = options;
  const record = (action: 'counter_store.move' | 'counter_store.arrive', home: CounterHome, counted: object) =>
    changeFromOutside(database, { actor, reason: null, clock }, (revision) => ({
      audit: { action, target: placeWords(target), before: from, after: { ...home, ...counted } },
      statements: [writeHomeSetting(database, home, { revision, now: clock() })],
    }));
  const revision = await record('counter_store.move', { ...target, from }, {});
  // A group that is decided by Redis compares the revision there.
  if (source.connection !== null) await publishRevision(source.connection, revision, installation);
  await copyShelf(source.shelf, to.shelf);
  const now = clock();
  const anchored = await anchoredMonths(database);
  const sums = ({ shelf }: OpenedShelf) => sumOfShelf(shelf, anchored, now);
  const [before, after] = [await sums(source), await sums(to)];
  if (before.requests !== after.requests || before.keys !== after.keys)
    throw new MoveRefused(
      `The copy in ${placeWords(target)} counts ${after.requests} requests of ${after.keys} keys this month, and the original ${before.requests} of ${before.keys}. Run it again.`,
    );
  const arrived = await record('counter_store.arrive', target, after);
  if (to.connection !== null && target.id !== null) {
    await writeHome(to.connection, target.id);
    await publishRevision(to.connection, arrived, installation);
  }
  return after;
}
