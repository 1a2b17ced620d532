import type { Client, InStatement, InValue, Transaction } from '@libsql/client';
import { NOTE_TABLE } from '@/lib/admin/backup/backup-file';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';

const ROWS = 1_000;
/** Most parameters of one statement. */
const PARAMETERS = 900;

/** Selects the columns of all tables in order, with their positions in the primary key. */
const COLUMNS = `select m.name, p.name, p.pk from sqlite_master as m, pragma_table_info(m.name) as p
  where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like 'libsql_%'
  and m.name not like '\\_%' escape '\\' and m.name <> '${NOTE_TABLE}' order by m.name, p.cid`;

type Reader = Pick<Client | Transaction, 'execute'>;
type Writer = { batch(statements: InStatement[]): Promise<unknown> };

/**
 * Copies all rows of all tables between databases of the same schema, over the network if needed.
 * Run it in one transaction on the server, so that all rows are of one time, or all are written or none.
 * @param to is emptied first
 */
export async function copyTables(from: Reader, to: Reader & Writer): Promise<void> {
  const tables = await readTables(from);
  const there = await readTables(to);
  const missing = [...tables.keys()].find((name) => !there.has(name));
  if (missing !== undefined) throw new BackupRefused(`The table ${missing} is unknown to this version of Sluice.`);
  await to.batch([...there.keys()].map((name) => `delete from "${name}"`));
  for (const [name, columns] of tables) {
    for await (const statements of readInserts(from, name, columns)) await to.batch(statements);
  }
}

type Columns = { name: string; key: number }[];

async function readTables(database: Reader): Promise<Map<string, Columns>> {
  const tables = new Map<string, Columns>();
  for (const row of (await database.execute(COLUMNS)).rows) {
    const table = String(row[0]);
    tables.set(table, [...(tables.get(table) ?? []), { name: String(row[1]), key: Number(row[2]) }]);
  }
  return tables;
}

/** Reads the rows of a table in key order, as insert statements. */
async function* readInserts(from: Reader, table: string, info: Columns): AsyncGenerator<InStatement[]> {
  const columns = info.map(({ name }) => name);
  const key = info.filter((column) => column.key > 0).sort((a, b) => a.key - b.key);
  const keys = key.length === 0 ? ['rowid'] : key.map(({ name }) => `"${name}"`);
  const list = columns.map((name) => `"${name}"`).join(', ');
  const order = keys.join(', ');
  const rest = `(${order}) > (${keys.map(() => '?').join(', ')})`;
  const perStatement = Math.max(1, Math.floor(PARAMETERS / columns.length));
  for (let after: InValue[] | null = null; ; ) {
    const where: string = after === null ? '' : `where ${rest}`;
    const sql: string = `select ${order}, ${list} from "${table}" ${where} order by ${order} limit ${ROWS}`;
    const rows: InValue[][] = (await from.execute({ sql, args: after ?? [] })).rows.map(
      (row) => Array.from(row) as InValue[],
    );
    const statements: InStatement[] = [];
    for (let i = 0; i < rows.length; i += perStatement) {
      const some = rows.slice(i, i + perStatement).map((row) => row.slice(keys.length));
      const values = some.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
      statements.push({ sql: `insert into "${table}" (${list}) values ${values}`, args: some.flat() });
    }
    if (statements.length > 0) yield statements;
    if (rows.length < ROWS) return;
    after = rows.at(-1)?.slice(0, keys.length) ?? null;
  }
}
