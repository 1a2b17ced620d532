import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { audit, settings } from '@/drizzle/schema';
import { Breaker } from '@/lib/counters/breaker';
import { EmbeddedCounters } from '@/lib/counters/embedded/store';
import type { Database } from '@/lib/db/database';
import { Engine } from '@/lib/enforcement/engine';
import { POLICIES_SETTING, RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import { migratedDatabase } from '../../fixtures/migrated-database';

/** A database whose newest change, number `seq`, sets the limit of class read and the throttle of the instance. */
async function withLimits(seq: number, read: number, global: number): Promise<Database> {
  const file = await migratedDatabase();
  onTestFinished(() => file[Symbol.dispose]());
  const { database } = file;
  const policies = { classes: { read: { ip: { limit: read } } }, global: { limit: global } };
  const record = { at: 0, actor: '', actorName: '', action: '', targetType: '', target: '', previousHash: '' };
  await database.batch([
    database.drizzle.insert(audit).values({ ...record, seq, hash: `of ${read}` }),
    database.drizzle
      .insert(settings)
      .values({ name: POLICIES_SETTING, value: JSON.stringify(policies), updatedAt: 0, revision: seq }),
  ]);
  return database;
}

/** An engine on a database that is exchanged beneath it. */
async function opened(first: Database) {
  const present = { database: first };
  const database = {
    kind: 'embedded',
    reading: first.reading,
    get drizzle() {
      return present.database.drizzle;
    },
    get client() {
      return present.database.client;
    },
  } as Database;
  const clock = () => Date.UTC(2026, 10, 21, 12);
  const rules = new RulesCache(database, pino({ level: 'silent' }), undefined);
  const store = () =>
    new EmbeddedCounters({
      database: present.database.handle!,
      clock,
      monotonic: () => 0,
      wait: async () => undefined,
      random: () => 0,
    });
  const engine = new Engine({
    store: {
      ...store(),
      kind: 'embedded',
      commit: (revision, attempts) => store().commit(revision, attempts),
    } as ReturnType<typeof store>,
    local: store(),
    breaker: new Breaker({ monotonic: () => 0 }),
    rules,
    clock,
    record: () => undefined,
    groups: {},
    onStoreFailure: () => undefined,
  });
  await rules.refresh();
  const facts = { method: 'GET', path: '/', address: parseAddress('192.0.2.1'), requestId: null };
  return { present, decide: () => engine.decide(facts), admit: () => engine.admit(facts) };
}

it('decides by the rules of the backup that was restored beneath it, by its very next decision', async () => {
  const { present, decide } = await opened(await withLimits(8, 30, 1_000));
  expect((await decide()).tightest?.limit).toBe(30);
  present.database = await withLimits(5, 20, 1_000);
  expect((await decide()).tightest?.limit).toBe(20);
});

it('throttles by the rules of the backup, also where no counter is asked', async () => {
  const { present, admit } = await opened(await withLimits(8, 30, 0));
  expect((await admit()).refusal?.error).toBe('service_unavailable');
  present.database = await withLimits(8, 20, 1_000);
  expect((await admit()).tightest?.limit).toBe(20);
});
