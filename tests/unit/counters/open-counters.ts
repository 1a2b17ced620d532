import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SQL } from 'drizzle-orm';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type Libsql from 'libsql';
import { onTestFinished } from 'vitest';
import { embeddedCounters, openCounters } from '@/bench/tables';
import { settleEverything } from '@/lib/counters/embedded/settle-statements';
import type { EmbeddedCountersOptions } from '@/lib/counters/embedded/store';
import type { CounterChange, CounterStore } from '@/lib/counters/store';
import type { DecideAt } from '../../fixtures/stepping-clock';

const dialect = new SQLiteSyncDialect();

/** A path for a database in a folder that is gone after the test. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-counters-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sluice.db');
}

/** A store on a new file, with a clock that stands still until it is set. */
export function openStore(path = databasePath(), options: Partial<EmbeddedCountersOptions> = {}) {
  const database = openCounters(path);
  onTestFinished(() => {
    if (database.open) database.close();
  });
  const clock = { now: Date.UTC(2026, 10, 20, 12) };
  const store = embeddedCounters(database, { clock: () => clock.now, ...options });
  return { database, store, clock };
}

/** Decides on a store whose clock is the test's. */
export function at(clock: { now: number }, store: CounterStore): DecideAt {
  return async (now, attempt) => {
    clock.now = now;
    const commit = await store.commit(0, [attempt]);
    const verdict = commit.kind === 'decided' ? commit.verdicts[0] : undefined;
    if (verdict === undefined) throw new Error('The store decided nothing.');
    return verdict;
  };
}

/** Runs statements as the transaction of an administrator's change does, and raises the revision with them. */
export function change(database: Libsql.Database, changes: readonly CounterChange[] = []): number {
  const row: unknown = database.prepare('select coalesce(max(seq), 0) + 1 as revision from audit').raw().get();
  const revision = Array.isArray(row) ? Number(row[0]) : Number.NaN;
  database.exec('begin immediate');
  database.prepare('insert into audit (seq) values (?)').run(revision);
  runAll(database, changes.flatMap(statementsOf));
  database.exec('commit');
  return revision;
}

/** Runs the statements of changes in one transaction. The rules stay as they are. */
export function applyChanges(database: Libsql.Database, changes: readonly CounterChange[]): void {
  database.exec('begin immediate');
  runAll(database, changes.flatMap(statementsOf));
  database.exec('commit');
}

/** Brings what is journaled into the tables, for tests that look there. */
export function settleInto(database: Libsql.Database): void {
  database.exec('begin immediate');
  runAll(database, settleEverything());
  database.exec('commit');
}

function runAll(database: Libsql.Database, statements: readonly SQL[]): void {
  for (const statement of statements) {
    const query = dialect.sqlToQuery(statement);
    database.prepare(query.sql).run(...query.params);
  }
}

function statementsOf(change: CounterChange): SQL[] {
  if (change.kind !== 'statements') throw new Error('The embedded store answers with statements.');
  return change.statements;
}
