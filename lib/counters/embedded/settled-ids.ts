import type { SettledList } from '@/lib/counters/embedded/settled-list';
import type { EmbeddedTables } from '@/lib/counters/embedded/tables';
import type { Settlement } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

const FIND = `
select json_group_array(id) from counter_refunds where id in (select value from json_each(?)) and until > ?`;

const SAVE = `
insert into counter_refunds (id, until) select value, ?2 from json_each(?1) where true
on conflict (id) do update set until = excluded.until`;

/** Deletes old ids. Every fold of ids deletes more of them than it saves. */
const FORGET = 'delete from counter_refunds where id in (select id from counter_refunds where until <= ? limit ?)';

/** Ids of settlements in the journal. A fold moves them into the table. */
export class SettledIds {
  readonly #until = new Map<string, Millis>();
  /** The same ids by journal row, oldest first. */
  #rows: { readonly position: number; readonly list: SettledList }[] = [];

  constructor(private readonly tables: EmbeddedTables) {}

  /** Returns for each settlement whether it is the first with its id. */
  findFirst(settlements: readonly Settlement[], now: Millis): boolean[] {
    const seen = new Set<string>();
    const first = settlements.map(({ id }) => {
      if (seen.has(id) || (this.#until.get(id) ?? 0) > now) return false;
      seen.add(id);
      return true;
    });
    const [text] = this.tables.readCells(FIND, JSON.stringify([...seen]), now);
    if (text === '[]') return first;
    const saved = new Set<unknown>(JSON.parse(String(text)));
    return first.map((isFirst, i) => isFirst && !saved.has(settlements[i]?.id));
  }

  /** @param position position of the journal row */
  keep(list: SettledList, position: number): void {
    if (list.size === 0) return;
    this.#rows.push({ position, list });
    for (const [until, ids] of list) for (const id of ids) this.#until.set(id, until);
  }

  /** Yields the ids that were journaled up to a position, in parts of at most this size. */
  *listParts(position: number, size: number): Iterable<{ ids: readonly string[]; until: Millis }> {
    for (const row of [...this.#rows]) {
      if (row.position > position) return;
      for (const [until, ids] of row.list)
        for (let from = 0; from < ids.length; from += size) yield { ids: ids.slice(from, from + size), until };
    }
  }

  /** Moves ids into the table, within a transaction. */
  fold(parts: readonly { ids: readonly string[]; until: Millis }[], now: Millis): void {
    const count = parts.reduce((sum, { ids }) => sum + ids.length, 0);
    this.tables.prepare(FORGET).run(now, 2 * count);
    for (const { ids, until } of parts) {
      if (until > now) this.tables.prepare(SAVE).run(JSON.stringify(ids), until);
    }
  }

  /** Forgets the ids whose rows were folded. Yields after each row, so that the caller can pause. */
  *tidy(folded: number): Iterable<void> {
    for (let row = this.#rows[0]; row !== undefined && row.position <= folded; row = this.#rows[0]) {
      this.#rows.shift();
      for (const [until, ids] of row.list)
        for (const id of ids) if (this.#until.get(id) === until) this.#until.delete(id);
      yield;
    }
  }

  clear(): void {
    this.#until.clear();
    this.#rows = [];
  }
}
