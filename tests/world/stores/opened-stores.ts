import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { embeddedCounters } from '@/bench/tables';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { RedisCounters } from '@/lib/counters/redis/store';
import { RemoteCounters } from '@/lib/counters/remote/store';
import type { CounterChange, CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { migratedDatabase } from '../../fixtures/migrated-database';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';
import { UpstashServer } from '../../fixtures/upstash-server';

/** A store on the real thing, and what a test needs to know of it. */
export interface OpenedStore {
  store: CounterStore;
  /** Makes a revision of the rules known to the store, as a change does. Null where the store has no revision. */
  raise: ((revision: number) => Promise<void>) | null;
  /** Carries out a change of counters, as a change does. */
  apply(change: CounterChange): Promise<void>;
  close(): Promise<void>;
}

export interface KindOfStore {
  name: string;
  kind: CounterStore['kind'];
  missing: boolean;
  open(): Promise<OpenedStore>;
}

const clock = () => Date.now();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function inDatabase(database: Database): Pick<OpenedStore, 'raise' | 'apply'> {
  return {
    raise: async (revision) => {
      await database.drizzle.run(
        sql`insert into audit (seq, at, actor, actor_name, action, target_type, target, previous_hash, hash)
            values (${revision}, 0, 'system', 'test', 'test', 'test', 'test', '', '')`,
      );
    },
    apply: async (change) => {
      if (change.kind !== 'statements') throw new Error('Counters in the database change with it.');
      await database.batch(change.statements.map((statement) => database.drizzle.run(statement)));
    },
  };
}

async function apply(change: CounterChange): Promise<void> {
  if (change.kind !== 'action') throw new Error('These counters are in no database.');
  await change.run();
}

async function inRedis(url: string, stop: () => Promise<void>): Promise<OpenedStore> {
  let newestRevision = 0;
  const store = await RedisCounters.open({
    url,
    logger: silent,
    clock,
    newestRevision: async () => newestRevision,
    installation: 'test',
    commandTimeout: 20_000,
  });
  const close = async () => {
    await store.close();
    await stop();
  };
  const raise = (revision: number) => {
    newestRevision = revision;
    return store.publish(revision);
  };
  return { store, raise, apply, close };
}

/** The stores, Redis over a socket and over HTTP. */
export const STORES: KindOfStore[] = [
  {
    name: 'local',
    kind: 'local',
    missing: false,
    open: async () => {
      const store = new MemoryCounters({ clock });
      return { store, raise: null, apply, close: () => store.close() };
    },
  },
  {
    name: 'embedded',
    kind: 'embedded',
    missing: false,
    open: async () => {
      const file = await migratedDatabase();
      const { handle } = file.database;
      if (handle === null) throw new Error('The database is no file.');
      const store = embeddedCounters(handle, { clock });
      return { store, ...inDatabase(file.database), close: async () => file[Symbol.dispose]() };
    },
  },
  {
    name: 'remote',
    kind: 'remote',
    missing: sqldIsMissing('integration/stores (libSQL server)'),
    open: async () => {
      const server = await SqldServer.start();
      const database = server.open();
      await migrate(database, 'drizzle', 0);
      // The machine may be busy: this suite asks whether answers are right, not how long they take.
      const store = new RemoteCounters({ client: database.client, clock, wait, random: Math.random, timeout: 20_000 });
      const close = async () => {
        database.close();
        await server.stop();
      };
      return { store, ...inDatabase(database), close };
    },
  },
  {
    name: 'redis',
    kind: 'redis',
    missing: redisIsMissing('integration/stores (Redis)'),
    open: async () => {
      const server = await RedisServer.start();
      return inRedis(server.url, () => server.stop());
    },
  },
  {
    name: 'redis over HTTP',
    kind: 'redis',
    missing: redisIsMissing('integration/stores (Redis over HTTP)'),
    open: async () => {
      const server = await RedisServer.start();
      const rest = await UpstashServer.start(server.url);
      return inRedis(rest.url, async () => {
        await rest.stop();
        await server.stop();
      });
    },
  },
];
