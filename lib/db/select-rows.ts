import { isUtf8 } from 'node:buffer';
import type { Value } from '@libsql/client';
import type Libsql from 'libsql';

type Parameters = readonly unknown[] | Record<string, unknown>;

/**
 * A prepared `select`. Returns a text that is not UTF-8 as bytes, because the driver ends the process when it reads one
 * as text. Such a text comes from a damaged disk, at any time. The readers of rows leave out a row that has bytes where
 * its column holds text (`lib/db/readable-rows.ts`).
 */
export class SelectRows {
  readonly columns: readonly string[];
  readonly #rows: Libsql.Statement;
  /** Joins all texts of the result into one blob. A check of them together takes a fifth of the time of the read. */
  readonly #texts: Libsql.Statement | null;
  readonly #bytes: () => Libsql.Statement;

  constructor(handle: Libsql.Database, sql: string) {
    this.#rows = handle.prepare(sql).raw(true);
    this.columns = this.#rows.columns().map(({ name }) => name);
    const names = this.columns.map((_, index) => `c${index}`);
    const buildSelect = (cells: string) =>
      `with result(${names.join(', ')}) as (${sql.replace(/[\s;]+$/, '')}\n) select ${cells} from result`;
    const texts = names.map((name) => `iif(typeof(${name}) = 'text', ${name}, null)`);
    const joined = buildSelect(`cast(group_concat(concat_ws(' ', ${texts.join(', ')}), ' ') as blob)`);
    // A single column of bytes, as the first read of the rules has it, needs no check.
    const isBytes = names.length === 1 && /^select cast\(.* as blob\) from /s.test(sql);
    this.#texts = isBytes ? null : handle.prepare(joined).raw(true);
    // A text becomes a blob and a blob becomes a text, so that both can be recognised.
    const bytes = names.map(
      (name) =>
        `case typeof(${name}) when 'text' then cast(${name} as blob) when 'blob' then hex(${name}) else ${name} end`,
    );
    this.#bytes = () => handle.prepare(buildSelect(bytes.join(', '))).raw(true);
  }

  /** @throws the errors of the driver */
  all(parameters: Parameters): Value[][] {
    const [[texts] = []] = (this.#texts?.all(parameters) ?? []) as (Buffer | null)[][];
    if (!texts || isUtf8(texts)) return this.#rows.all(parameters) as Value[][];
    return this.#bytes()
      .all(parameters)
      .map((cells) => (cells as unknown[]).map(restoreType) as Value[]);
  }
}

/** Restores a cell whose text came as bytes, or whose bytes came as hexadecimal digits. */
function restoreType(cell: unknown): unknown {
  if (typeof cell === 'string') return Buffer.from(cell, 'hex');
  return Buffer.isBuffer(cell) && isUtf8(cell) ? cell.toString('utf8') : cell;
}
