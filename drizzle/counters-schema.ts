import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The counters: how many requests a key had in a slot. A window is the sum of its slots, a monthly quota has one slot
 * a month. `floor` is what a reset has forgiven: it is taken from `hits`, so that the history stays.
 * The table is made WITHOUT ROWID (by hand in the migration): its primary key is the only index.
 */
export const counterSlots = sqliteTable(
  'counter_slots',
  {
    key: text('key').notNull(),
    slot: integer('slot').notNull(),
    hits: integer('hits').notNull(),
    floor: integer('floor').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.key, t.slot] })],
);
