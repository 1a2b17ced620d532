import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { allowlist, apiKeys, audit, grants, overrides, settings } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { newestRevision } from '@/lib/db/newest-revision';

/** Rows of a table in one answer. A libSQL server refuses to send more than 10 MB at once. */
const PAGE = 2_000;
const UNLIMITED = -1;
/** More answers than any rules need: something else is wrong then. */
const MOST_ANSWERS = 10_000;
/** More answers of a replica that lags than any needs to catch up. */
const MOST_BEHIND = 200;

/** The rows of a table, collected in the order of their revisions. */
class Pages<Row extends { id: string; revision: number }> {
  readonly #rows = new Map<string, Row>();
  #last: Row | undefined;

  constructor(private readonly columns: { id: SQLiteColumn; revision: SQLiteColumn }) {}

  /** What comes after the rows that were read. */
  get rest(): SQL | undefined {
    const { id, revision } = this.columns;
    return this.#last && sql`(${revision}, ${id}) > (${this.#last.revision}, ${this.#last.id})`;
  }

  get order(): [SQLiteColumn, SQLiteColumn] {
    return [this.columns.revision, this.columns.id];
  }

  get highest(): number {
    return this.#last?.revision ?? 0;
  }

  get rows(): Row[] {
    return [...this.#rows.values()];
  }

  /** A row that was changed while others were read comes again. @returns whether the page is full */
  add(rows: readonly Row[]): boolean {
    for (const row of rows) this.#rows.set(row.id, row);
    this.#last = rows.at(-1) ?? this.#last;
    return rows.length === PAGE;
  }
}

/**
 * All rows of the rules with a higher revision, as of one moment; since 0, those that are not removed.
 *
 * An embedded file gives them at once. A server gives them page by page, in the order of their revisions: a row that is
 * changed meanwhile gets a higher one and comes again, so that once no page is full, everything is as of that answer.
 */
export async function readRuleRows(database: Database, since: number) {
  const { drizzle } = database;
  const limit = database.kind === 'remote' ? PAGE : UNLIMITED;
  const allowed = new Pages<typeof allowlist.$inferSelect>(allowlist);
  const overridden = new Pages<typeof overrides.$inferSelect>(overrides);
  const keys = new Pages<typeof apiKeys.$inferSelect>(apiKeys);
  const granted = new Pages<typeof grants.$inferSelect>(grants);
  let begun: number | undefined;
  let behind = 0;
  for (let answers = 0; answers < MOST_ANSWERS; answers += 1) {
    const changed = (revision: SQLiteColumn, removedAt: SQLiteColumn, rest: SQL | undefined) => {
      // The first read needs existing rows only, and what is removed while it goes on; later ones also need removals.
      const present = begun === undefined ? isNull(removedAt) : or(isNull(removedAt), gt(revision, begun));
      return and(gt(revision, since), since === 0 ? present : undefined, rest);
    };
    const [[newest], [before], documents, ...pages] = await drizzle.batch([
      newestRevision(database),
      drizzle.select({ hash: audit.hash }).from(audit).where(eq(audit.seq, since)),
      drizzle.select().from(settings).where(gt(settings.revision, since)),
      drizzle
        .select()
        .from(allowlist)
        .where(changed(allowlist.revision, allowlist.removedAt, allowed.rest))
        .orderBy(...allowed.order)
        .limit(limit),
      drizzle
        .select()
        .from(overrides)
        .where(changed(overrides.revision, overrides.removedAt, overridden.rest))
        .orderBy(...overridden.order)
        .limit(limit),
      drizzle
        .select()
        .from(apiKeys)
        .where(changed(apiKeys.revision, apiKeys.revokedAt, keys.rest))
        .orderBy(...keys.order)
        .limit(limit),
      drizzle
        .select()
        .from(grants)
        .where(changed(grants.revision, grants.removedAt, granted.rest))
        .orderBy(...granted.order)
        .limit(limit),
    ]);
    begun ??= newest?.seq ?? 0;
    const full = [allowed.add(pages[0]), overridden.add(pages[1]), keys.add(pages[2]), granted.add(pages[3])];
    if (database.kind === 'remote') {
      // A replica that lags may answer with less than another one did.
      const highest = Math.max(allowed.highest, overridden.highest, keys.highest, granted.highest);
      const isBehind = highest > (newest?.seq ?? 0);
      if (isBehind && ++behind >= MOST_BEHIND) throw new Error('Rules are newer than the newest audit record.');
      if (isBehind || full.includes(true)) continue;
    }
    return {
      newest: newest ?? { seq: 0, hash: null },
      /** The hash of the record with the number `since`. */
      hashBefore: before?.hash ?? null,
      documents,
      ...{ allowed: allowed.rows, overridden: overridden.rows, keys: keys.rows, granted: granted.rows },
    };
  }
  throw new Error('The rules in the database do not come to an end.');
}
