import { setTimeout as wait } from 'node:timers/promises';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import Libsql from 'libsql';
import {
  clearedCounters,
  counterClock,
  counterJournal,
  counterMonths,
  counterRefunds,
  counterWindows,
} from '../drizzle/counters-schema';
import { EmbeddedCounters, type EmbeddedCountersOptions } from '../lib/counters/embedded/store';

/** Opens a database with the product's settings and only the counters' tables. */
export function openCounters(path: string): Libsql.Database {
  const database = new Libsql(path);
  for (const pragma of [
    'journal_mode = wal',
    'busy_timeout = 10',
    'synchronous = normal',
    'cache_size = -65536',
    'wal_autocheckpoint = 16000',
  ]) {
    database.exec(`pragma ${pragma}`);
  }
  database.exec('create table if not exists audit (seq integer primary key)');
  for (const table of [counterWindows, counterMonths, counterClock, clearedCounters, counterRefunds]) {
    database.exec(`${definition(table)} without rowid`);
  }
  database.exec(definition(counterJournal));
  database.exec('create index if not exists counter_refunds_until on counter_refunds (until)');
  return database;
}

/** Opens a store on such a database, with the machine's clocks unless `options` override them. */
export function embeddedCounters(
  database: Libsql.Database,
  options: Partial<EmbeddedCountersOptions> = {},
): EmbeddedCounters {
  return new EmbeddedCounters({
    database,
    clock: () => Date.now(),
    monotonic: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds),
    random: Math.random,
    ...options,
  });
}

function definition(table: SQLiteTable): string {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const keys = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary);
  const lines = columns.map((column) => {
    const fallback = typeof column.default === 'number' ? ` default ${column.default}` : '';
    return `${column.name} ${column.getSQLType()}${column.notNull ? ' not null' : ''}${fallback}`;
  });
  lines.push(`primary key (${keys.map((column) => column.name).join(', ')})`);
  return `create table if not exists ${name} (${lines.join(', ')})`;
}
