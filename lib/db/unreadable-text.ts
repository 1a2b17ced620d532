import { isUtf8 } from 'node:buffer';
import type Libsql from 'libsql';

/** A text of a database that is not UTF-8. */
export interface UnreadableText {
  table: string;
  column: string;
  /** Primary key of the row. */
  row: string;
}

/** Rows whose texts are checked together. */
const TOGETHER = 2_000;

/** Returns whether all texts of the schema are UTF-8. The driver ends the process when it reads a name that is not. */
export function isSchemaReadable(handle: Libsql.Database): boolean {
  const texts = "select cast(concat_ws(' ', type, name, tbl_name, sql) as blob) from sqlite_schema";
  return hasReadableTexts(handle.prepare(texts));
}

/**
 * Finds a text that is not UTF-8, as a flipped bit leaves it. The driver ends the process when it reads one. Skips the
 * counters, whose store reads texts as bytes.
 */
export function findUnreadableText(handle: Libsql.Database): UnreadableText | null {
  const tables = `select name, wr from pragma_table_list where schema = 'main' and type = 'table'
    and name not like 'sqlite\\_%' escape '\\' and name not like 'counter\\_%' escape '\\' and name <> 'cleared_counters'`;
  for (const [table, lacksRowid] of handle.prepare(tables).raw().all() as [string, number][]) {
    const columns = handle.prepare(`select name, pk from pragma_table_info('${table}') order by cid`).raw().all() as [
      string,
      number,
    ][];
    const names = columns.map(([name]) => name);
    const texts = names.map(
      (name) => `cast(group_concat(iif(typeof("${name}") = 'text', "${name}", ''), ' ') as blob)`,
    );
    const group =
      lacksRowid === 1
        ? names.filter((_, i) => columns[i]?.[1] !== 0).map((name) => `"${name}"`)
        : [`rowid / ${TOGETHER}`];
    const joined = handle.prepare(`select ${texts.join(', ')} from "${table}" group by ${group.join(', ')}`);
    if (hasReadableTexts(joined)) continue;
    const keys = columns.filter(([, pk]) => pk > 0).map(([name]) => name);
    return findText(handle, table, names, keys.length === 0 ? ['rowid'] : keys);
  }
  return null;
}

function hasReadableTexts(joined: Libsql.Statement): boolean {
  for (const cells of joined.raw().iterate() as Iterable<(ArrayBuffer | null)[]>)
    if (!cells.every((cell) => cell === null || isUtf8(new Uint8Array(cell)))) return false;
  return true;
}

/** Finds the text in its table, row by row. */
function findText(
  handle: Libsql.Database,
  table: string,
  columns: readonly string[],
  keys: readonly string[],
): UnreadableText | null {
  const bytes = [...keys, ...columns].map((name) => `cast("${name}" as blob), typeof("${name}")`);
  for (const cells of handle
    .prepare(`select ${bytes.join(', ')} from "${table}"`)
    .raw()
    .iterate() as Iterable<unknown[]>) {
    const readValue = (index: number) => new Uint8Array((cells[index * 2] as ArrayBuffer | null) ?? new ArrayBuffer(0));
    const found = columns.findIndex((_, index) => {
      const place = keys.length + index;
      return cells[place * 2 + 1] === 'text' && !isUtf8(readValue(place));
    });
    const column = columns[found];
    if (column === undefined) continue;
    return { table, column, row: keys.map((_, index) => new TextDecoder().decode(readValue(index))).join(' ') };
  }
  return null;
}
