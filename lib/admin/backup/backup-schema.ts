import Libsql from 'libsql';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';
import { MIGRATIONS_TABLE, readMigrations } from '@/lib/db/migrate';
import { showInvisible } from '@/lib/logging/visible-text';

/** An entry of `sqlite_schema`. */
interface SchemaObject {
  type: string;
  name: string;
  table: string;
  /** What made it, with each white space as one blank; empty for what SQLite makes by itself. */
  sql: string;
}

/** What `analyze` leaves. */
const STATISTICS: readonly string[] = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
];

/** As bytes: the driver ends the process where a text is no UTF-8. */
const SCHEMA = ['type', 'name', 'tbl_name', 'sql'].map((column) => `cast(${column} as blob)`).join(', ');

function schemaOf(handle: Libsql.Database): SchemaObject[] {
  const rows = handle.prepare(`select ${SCHEMA} from sqlite_schema`).raw().all() as (Uint8Array | null)[][];
  return rows.map((cells) => {
    const [type = '', name = '', table = '', sql = ''] = cells.map((cell) => Buffer.from(cell ?? []).toString());
    return { type, name, table, sql: sql.replaceAll(/\s+/g, ' ').trim() };
  });
}

/**
 * Checks that a database has the tables and indexes of its migrations, and nothing else: what a trigger, a view or an
 * expression of somebody else's does would be done by the restored database. Reads nothing but the schema and how many
 * migrations there were.
 * @param more tables that it may have as well, by the statements that made them
 * @throws BackupRefused
 */
export function requireOwnSchema(
  handle: Libsql.Database,
  migrationsFolder: string,
  more: readonly string[] = [],
): void {
  const found = schemaOf(handle);
  const names = found.map(({ name }) => name);
  if (!names.includes('sluice_migrations') || !names.includes('audit'))
    throw new BackupRefused('It is a database, but not one of Sluice.');
  for (const { type, name, sql } of found) {
    const what = /^create virtual /i.test(sql) ? 'virtual table' : type;
    if (what !== 'table' && what !== 'index')
      throw new BackupRefused(`It has the ${what} ${shown(name)}, which no database of Sluice has.`);
  }
  const migrations = readMigrations(migrationsFolder);
  const [applied] = handle.prepare('select count(*) from sluice_migrations').raw().get() as [number];
  // A newer version knows objects that this one does not; it is refused for that.
  if (applied > migrations.length) return;
  const fresh = new Libsql(':memory:');
  try {
    fresh.exec(MIGRATIONS_TABLE);
    for (const { statements } of migrations.slice(0, applied))
      for (const statement of statements) fresh.exec(statement);
    compare(found, schemaOf(fresh), [...STATISTICS, ...more]);
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
      throw new BackupRefused(`It has the ${type} ${shown(name)}, which no database of Sluice has.`);
    }
    if (own.sql !== sql || own.table !== table)
      throw new BackupRefused(`Its ${type} ${shown(name)} is not as Sluice made it.`);
    // One of its name more is another one.
    missing.delete(`${type} ${name}`);
  }
  for (const { type, name } of missing.values()) throw new BackupRefused(`It has no ${type} ${shown(name)}.`);
}

/** A name of somebody else's in a sentence. */
function shown(name: string): string {
  return showInvisible(JSON.stringify(name.slice(0, 100)));
}
