import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/*
 * Both tables are made WITHOUT ROWID (by hand in the migration): the primary key is the only index and holds the row,
 * so a write touches one tree and not two (docs/performance.md).
 */

/**
 * Sliding windows, one row a key: a whole window is read and written in one place. One row a slot was measured too:
 * it takes longer to write (by a quarter to three quarters) and up to 61 rows to read.
 */
export const counterWindows = sqliteTable('counter_windows', {
  key: text('key').primaryKey(),
  /** From when on no window sees any of the slots, and the row can go. */
  expires: integer('expires').notNull(),
  /** JSON: `[newest slot, hits in it, hits in the 60 slots before]`, the last as `slotsText` writes it. */
  slots: text('slots').notNull(),
});

/** `floor`: what a reset has forgiven of the hits; 0 in windows. Usage is `hits - floor`. */
const used = () => ({ hits: integer('hits').notNull(), floor: integer('floor').notNull().default(0) });

/**
 * Months, one row each, so that the history stays. */
export const counterMonths = sqliteTable(
  'counter_months',
  {
    key: text('key').notNull(),
    /** `year * 12 + month` in which it begins, January = 0, UTC; shifted where the key's anchor was moved. */
    month: integer('month').notNull(),
    ...used(),
  },
  (t) => [primaryKey({ columns: [t.key, t.month] })],
);

/**
 * What the groups of the embedded file have changed and the tables above do not have yet: one row a group, so that a group
 * writes a page or two however many counters there are. Rows go once they are folded into the tables, but for the newest.
 */
export const counterJournal = sqliteTable(
  'counter_journal',
  {
    /** Without gaps. */
    position: integer('position').primaryKey(),
    /** JSON: `{ key: [seconds of the window, ...slots] }`, those as in `counter_windows`. */
    windows: text('windows'),
    /** JSON: `[[key, month, hits, floor], ...]`. */
    months: text('months'),
    /** JSON: `{ prefix }` or `{ keys }` of counters of which the tables have what rows before this one say. */
    forgotten: text('forgotten'),
  },
  (t) => [index('counter_journal_forgotten').on(t.position).where(sql`forgotten is not null`)],
);

/**
 * Counters on a libSQL server, one row a slot, so that one statement judges and counts without reading a text apart. A
 * month is a slot too, numbered as in `counter_months`. Also WITHOUT ROWID.
 */
export const counterSlots = sqliteTable(
  'counter_slots',
  {
    key: text('key').notNull(),
    slot: integer('slot').notNull(),
    ...used(),
    /** From when on no window sees the slot, and the row can go. */
    expires: integer('expires').notNull(),
  },
  (t) => [primaryKey({ columns: [t.key, t.slot] })],
);

/**
 * What a reset has cleared, for the minutes in which it can be undone. `slot` is a month or a slot, and 0 where `slots`
 * holds a whole window.
 */
export const clearedCounters = sqliteTable(
  'cleared_counters',
  {
    /** Of the audit record of the reset. */
    seq: integer('seq').notNull(),
    key: text('key').notNull(),
    slot: integer('slot').notNull(),
    ...used(),
    slots: text('slots'),
    expires: integer('expires').notNull(),
    /** When it is forgotten. */
    keptUntil: integer('kept_until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.seq, t.key, t.slot] }), index('cleared_counters_kept_until').on(t.keptUntil)],
);

/** Attempts that were refunded, so that none is twice. Few: those of the last two minutes. */
export const counterRefunds = sqliteTable(
  'counter_refunds',
  {
    id: text('id').primaryKey(),
    /** Which call wrote it, on a libSQL server. */
    call: text('call'),
    /** When it is forgotten. */
    until: integer('until').notNull(),
  },
  (t) => [index('counter_refunds_until').on(t.until)],
);

/**
 * Moments in milliseconds. Row 1: when the group is decided that a libSQL server is at, by its own clock. Row 2: when
 * that clock has gone back, the latest moment that it had shown. Row 3, also in the embedded file: how often it was tried
 * whether counters can be written. Row 4, only there: until when a process has the journal to fold.
 */
export const counterClock = sqliteTable('counter_clock', {
  id: integer('id').primaryKey(),
  now: integer('now').notNull(),
});
