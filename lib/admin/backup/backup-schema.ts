import Libsql from 'libsql';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';
import { MIGRATIONS_TABLE, readMigrations } from '@/lib/db/migrate';
import { showInvisible } from '@/lib/logging/visible-text';

/** An entry of `sqlite_schema`. */
interface SchemaObject {
  type: string;
  name: string;
  table: string;
  /** Its SQL with white space collapsed. Empty for objects that SQLite creates itself. */
  sql: string;
}

/** Tables that `analyze` creates. */
const STATISTICS: readonly string[] = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
];

/** Columns cast to bytes, because the driver aborts the process on text that is not UTF-8. */
const SCHEMA = ['type', 'name', 'tbl_name', 'sql'].map((column) => `cast(${column} as blob)`).join(', ');

function readSchema(handle: Libsql.Database): SchemaObject[] {
  const rows = handle.prepare(`select ${SCHEMA} from sqlite_schema`).raw().all() as (Uint8Array | null)[][];
  return rows.map((cells) => {
    const [type = '', name = '', table = '', sql = ''] = cells.map((cell) => Buffer.from(cell ?? []).toString());
    return { type, name, table, sql: sql.replaceAll(/\s+/g, ' ').trim() };
  });
}

/**
 * Checks that a database has exactly the tables and indexes of its migrations.
 * The restored database would run the SQL of any other trigger, view or expression. Reads only the schema and the
 * number of migrations.
 * @param more tables that it may also have, as their SQL
 * @throws BackupRefused
 */
export function requireOwnSchema(
  handle: Libsql.Database,
  migrationsFolder: string,
  more: readonly string[] = [],
): void {
  const found = readSchema(handle);
  const names = found.map(({ name }) => name);
  if (!names.includes('sluice_migrations') || !names.includes('audit'))
    throw new BackupRefused('It is a database, but not one of Sluice.');
  for (const { type, name, sql } of found) {
    const what = /^create virtual /i.test(sql) ? 'virtual table' : type;
    if (what !== 'table' && what !== 'index')
      throw new BackupRefused(`It has the ${what} ${quoteName(name)}, which no database of Sluice has.`);
  }
  const migrations = readMigrations(migrationsFolder);
  const [applied] = handle.prepare('select count(*) from sluice_migrations').raw().get() as [number];
  // The caller refuses a newer version, whose objects this version cannot compare.
  if (applied > migrations.length) return;
  const fresh = new Libsql(':memory:');
  try {
    fresh.exec(MIGRATIONS_TABLE);
    for (const { statements } of migrations.slice(0, applied))
      for (const statement of statements) fresh.exec(statement);
    compare(found, readSchema(fresh), [...STATISTICS, ...more]);
  } finally {
    fresh.close();
  }
}

function compare(found: readonly SchemaObject[], expected: readonly SchemaObject[], more: readonly string[]): void {
  const missing = new Map(expected.map((object) => [`${object.type} ${object.name}`, object]));
  for (const object of found) {
    const { type, name, table, sql } = object;
    const own = missing.get(`${type} ${name}`);
    if (own === undefined) {
      if (type === 'table' && more.includes(sql)) continue;
      throw new BackupRefused(`It has the ${type} ${quoteName(name)}, which no database of Sluice has.`);
    }
    if (own.sql !== sql || own.table !== table)
      throw new BackupRefused(`Its ${type} ${quoteName(name)} is not as Sluice made it.`);
    // A second object of this name then counts as unexpected.
    missing.delete(`${type} ${name}`);
  }
  for (const { type, name } of missing.values()) throw new BackupRefused(`It has no ${type} ${quoteName(name)}.`);
}

/** Quotes a name from an untrusted file for an error message. */
function quoteName(name: string): string {
  return showInvisible(JSON.stringify(name.slice(0, 100)));
}
