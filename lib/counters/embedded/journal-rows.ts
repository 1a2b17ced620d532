import { formatSlots } from '@/lib/counters/slots-text';
import type { MonthCounter } from '@/lib/limiter/counter';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import type { Seconds } from '@/lib/units';

/** Receives the table and the row that cannot be read. */
export type OnUnreadable = (table: string, row: string | number) => void;

/** A row of the journal: the changes of one group, or counters whose earlier rows are obsolete. */
export interface JournalRow {
  readonly position: number;
  /** JSON, see `counterJournal` in `drizzle/counters-schema.ts`. Null if there is none. */
  readonly windows: string | null;
  readonly months: string | null;
  readonly forgotten: string | null;
  readonly settled: string | null;
}

/** Oldest and newest position in the journal. Null if it is empty. */
export interface JournalEnds {
  readonly first: number | null;
  readonly last: number | null;
}

/** Counter states that the tables lack. */
export interface Unfolded {
  readonly windows: readonly (readonly [key: string, seconds: Seconds, counter: SlidingCounter])[];
  readonly months: readonly (readonly [key: string, counter: MonthCounter])[];
}

/** Formats a window. Keys need no escapes, see `Meter`. */
export function formatWindow(key: string, seconds: Seconds, counter: SlidingCounter): string {
  return `"${key}":[${seconds},${formatSlots(counter)}]`;
}

export function formatMonth(key: string, { month, hits, floor }: MonthCounter): string {
  return `["${key}",${month},${hits},${floor}]`;
}

/** Builds the columns of a row from the texts of its counters, separated by commas. */
export function formatColumns(windows: string, months: string): Pick<JournalRow, 'windows' | 'months'> {
  return { windows: windows === '' ? null : `{${windows}}`, months: months === '' ? null : `[${months}]` };
}
