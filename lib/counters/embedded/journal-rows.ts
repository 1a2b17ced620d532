import { formatSlots } from '@/lib/counters/slots-text';
import type { MonthCounter } from '@/lib/limiter/counter';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import type { Seconds } from '@/lib/units';

/** A row of the journal: what one group has changed, or what is not to be read from the rows before it any more. */
export interface JournalRow {
  readonly position: number;
  /** JSON, as `counterJournal` in `drizzle/counters-schema.ts` says; null for nothing. */
  readonly windows: string | null;
  readonly months: string | null;
  readonly forgotten: string | null;
}

/** The oldest and the newest position in the journal; null while it is empty. */
export interface JournalEnds {
  readonly first: number | null;
  readonly last: number | null;
}

/** What the tables lack. */
export interface Unfolded {
  readonly windows: readonly (readonly [key: string, seconds: Seconds, counter: SlidingCounter])[];
  readonly months: readonly (readonly [key: string, counter: MonthCounter])[];
}

/** Keys need no escapes, see `Meter`. */
export function formatWindow(key: string, seconds: Seconds, counter: SlidingCounter): string {
  return `"${key}":[${seconds},${formatSlots(counter)}]`;
}

export function formatMonth(key: string, { month, hits, floor }: MonthCounter): string {
  return `["${key}",${month},${hits},${floor}]`;
}

/** The columns of a row with these counters, each text after a comma but the first. */
export function toColumns(windows: string, months: string): Pick<JournalRow, 'windows' | 'months'> {
  return { windows: windows === '' ? null : `{${windows}}`, months: months === '' ? null : `[${months}]` };
}
