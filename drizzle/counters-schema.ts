import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/* Both tables are WITHOUT ROWID (written by hand in the migration). The primary key is the only index and holds the
   row, so a write touches one tree instead of two (docs/performance.md). */

/**
 * Sliding windows, one row per key, so that a whole window is read and written in one place. One row per slot was
 * measured: writes take a quarter to three quarters longer, and reads touch up to 61 rows.
 */
export const counterWindows = sqliteTable('counter_windows', {
  key: text('key').primaryKey(),
  /** Time from which no window covers any of the slots, so that the row can be deleted. */
  expires: integer('expires').notNull(),
  /** JSON: `[newest slot, hits in it, hits in the 60 slots before]`. `slotsText` encodes the last part. */
  slots: text('slots').notNull(),
});

/** `floor` is the number of hits that a reset has forgiven; 0 in windows. Usage is `hits - floor`. */
const used = () => ({ hits: integer('hits').notNull(), floor: integer('floor').notNull().default(0) });

/** Months, one row each, which keeps the history. */
export const counterMonths = sqliteTable(
  'counter_months',
  {
    key: text('key').notNull(),
    /** `year * 12 + month` of its start, January = 0, UTC. Shifted if the key's anchor was moved. */
    month: integer('month').notNull(),
    ...used(),
  },
  (t) => [primaryKey({ columns: [t.key, t.month] })],
);

/**
 * Changes of groups in the embedded file that are not yet in the tables above. Each group is one row, so it writes a
 * page or two, however many counters it has. Rows are deleted once folded into the tables, except the newest.
 */
export const counterJournal = sqliteTable(
  'counter_journal',
  {
    /** Consecutive, without gaps. */
    position: integer('position').primaryKey(),
    /** JSON: `{ key: [seconds of the window, ...slots] }`, with slots as in `counter_windows`. */
    windows: text('windows'),
    /** JSON: `[[key, month, hits, floor], ...]`. */
    months: text('months'),
    /**
     * JSON: `{ prefix }` or `{ keys }` of counters whose state up to this row is in the tables. Readers drop their
     * cached values.
     */
    forgotten: text('forgotten'),
    /** JSON: `[[until, id, ...], ...]` of settlements, see `counter_refunds`. */
    settled: text('settled'),
  },
  (t) => [index('counter_journal_forgotten').on(t.position).where(sql`forgotten is not null`)],
);

/**
 * Counters on a libSQL server, one row per slot, so that one statement judges and counts without parsing text. A month
 * is a slot too, numbered as in `counter_months`. Also WITHOUT ROWID.
 */
export const counterSlots = sqliteTable(
  'counter_slots',
  {
    key: text('key').notNull(),
    slot: integer('slot').notNull(),
    ...used(),
    /** Time from which no window covers the slot, so that the row can be deleted. */
    expires: integer('expires').notNull(),
  },
  (t) => [primaryKey({ columns: [t.key, t.slot] })],
);

/**
 * Counters cleared by a reset, kept while it can be undone. `slot` is a month or a slot, and 0 if `slots` holds a whole
 * window.
 */
export const clearedCounters = sqliteTable(
  'cleared_counters',
  {
    /** Number of the reset's audit record. */
    seq: integer('seq').notNull(),
    key: text('key').notNull(),
    slot: integer('slot').notNull(),
    ...used(),
    slots: text('slots'),
    expires: integer('expires').notNull(),
    /** Time from which the row may be deleted. */
    keptUntil: integer('kept_until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.seq, t.key, t.slot] }), index('cleared_counters_kept_until').on(t.keptUntil)],
);

/** Refunded and settled attempts, so that none is settled twice. */
export const counterRefunds = sqliteTable(
  'counter_refunds',
  {
    id: text('id').primaryKey(),
    /** Call that wrote it, on a libSQL server. */
    call: text('call'),
    /** Time from which the row may be deleted. */
    until: integer('until').notNull(),
  },
  (t) => [index('counter_refunds_until').on(t.until)],
);

/**
 * Times in milliseconds. Row 1: the time at which a libSQL server decides the current group, by its own clock. Row 2:
 * the latest time that this clock has shown, if it went back. Row 3, also in the embedded file: number of write probes.
 * Row 4, only in the embedded file: until when a process may fold the journal.
 */
export const counterClock = sqliteTable('counter_clock', {
  id: integer('id').primaryKey(),
  now: integer('now').notNull(),
});
