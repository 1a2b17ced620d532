import { sql } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides } from '@/drizzle/schema';
import type { AuditEntry } from '@/lib/admin/change';
import type { StateChange } from '@/lib/contract/state';
import type { Database, Statement } from '@/lib/db/database';
import { putRows } from '@/lib/db/insert-rows';
import type { ApiKeyId } from '@/lib/ids';

const TABLES = { apiKeys, grants, allowlist, overrides };
type TableName = keyof typeof TABLES;

/** Entries planned in one turn of the event loop, so that decisions run between turns. */
export const ENTRIES_A_TURN = 500;

/** Collects the changes that make the rules match a document, with their records and writes. */
export class StatePlan {
  readonly changes: StateChange[] = [];
  readonly records: AuditEntry[] = [];
  readonly secrets: { id: ApiKeyId; name: string; secret: string }[] = [];
  /** Statements for documents in `settings`. */
  readonly statements: Statement[] = [];
  /** New values of rows, in the order of the writes. */
  readonly #rows: { [T in TableName]: (typeof TABLES)[T]['$inferSelect'][] } = {
    apiKeys: [],
    grants: [],
    allowlist: [],
    overrides: [],
  };
  /** Ids of unchanged rows that the document names and that have no mark yet. */
  readonly #named: Record<TableName, string[]> = { apiKeys: [], grants: [], allowlist: [], overrides: [] };

  /** @param first number of the first audit record */
  constructor(readonly first: number) {}

  /** Number of the next audit record, which the rows of its change carry. */
  get next(): number {
    return this.first + this.records.length;
  }

  put<T extends TableName>(table: T, row: (typeof TABLES)[T]['$inferSelect']): void {
    this.#rows[table].push(row);
  }

  /** Marks an unchanged row. */
  name(table: TableName, row: { id: string; managed: boolean }): void {
    if (!row.managed) this.#named[table].push(row.id);
  }

  /**
   * Builds the statements to write with the records.
   * Marks of unchanged rows belong to no change and have no record, because they do not affect decisions.
   */
  buildWrites(database: Database): Statement[] {
    const { apiKeys: keys, grants: granted, allowlist: allowed, overrides: overridden } = this.#rows;
    const marks = Object.entries(this.#named).flatMap(([name, ids]) => {
      const table = TABLES[name as TableName];
      const named = sql`${table.id} in (select value from json_each(${JSON.stringify(ids)}))`;
      return ids.length === 0 ? [] : [database.drizzle.update(table).set({ managed: true }).where(named)];
    });
    return [
      ...putRows(database, apiKeys, keys),
      ...putRows(database, grants, granted),
      ...putRows(database, allowlist, allowed),
      ...putRows(database, overrides, overridden),
      ...this.statements,
      ...marks,
    ];
  }
}
