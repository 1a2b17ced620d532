import type { JournalRow } from '@/lib/counters/embedded/journal-rows';
import { readSettled, type SettledList } from '@/lib/counters/embedded/settled-list';
import { isCount, readSlotsList } from '@/lib/counters/slots-text';
import type { CounterSelection } from '@/lib/counters/store';
import { isJsonObject } from '@/lib/json';
import type { MonthCounter } from '@/lib/limiter/counter';
import { EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import type { Seconds } from '@/lib/units';

/** Content of a journal row. */
export interface ParsedRow {
  readonly windows: readonly (readonly [key: string, seconds: Seconds, counter: SlidingCounter])[];
  readonly months: readonly (readonly [key: string, counter: MonthCounter])[];
  readonly forgotten: CounterSelection | null;
  readonly settled: SettledList;
  /** True if unreadable parts were skipped. The statements of `settle` skip the same parts. */
  readonly isDamaged: boolean;
}

const PARTS = ['windows', 'months', 'forgotten', 'settled'] as const;

export function parseRow({ windows, months, forgotten, settled }: JournalRow): ParsedRow {
  const [listOfWindows, listOfMonths, selection] = [parse(windows), parse(months), parse(forgotten)];
  const listOfSettled = parse(settled);
  const read = {
    windows: isJsonObject(listOfWindows) ? Object.entries(listOfWindows).map(parseWindow) : null,
    months: Array.isArray(listOfMonths) ? listOfMonths.map(parseMonth) : null,
    forgotten: parseSelection(selection),
    settled: Array.isArray(listOfSettled) ? listOfSettled.map(readSettled) : null,
  };
  const texts = { windows, months, forgotten, settled };
  return {
    windows: read.windows?.filter(isRead) ?? [],
    months: read.months?.filter(isRead) ?? [],
    forgotten: read.forgotten,
    settled: new Map(read.settled?.filter(isRead)),
    isDamaged:
      PARTS.some((name) => texts[name] !== null && read[name] === null) ||
      [read.windows, read.months, read.settled].some((list) => list?.every(isRead) === false),
  };
}

function parseWindow([key, value]: [string, unknown]): ParsedRow['windows'][number] | null {
  if (!Array.isArray(value) || value.length < 3 || !isCount(value[0])) return null;
  const [seconds, ...slots]: [Seconds, ...unknown[]] = [value[0], ...value.slice(1)];
  const counter = readSlotsList(slots);
  // A damaged list gives this very object. A window without hits is a different object.
  return counter === EMPTY_SLIDING ? null : [key, seconds, counter];
}

function parseMonth(value: unknown): ParsedRow['months'][number] | null {
  const [key, month, hits, floor]: unknown[] = Array.isArray(value) ? value : [];
  if (typeof key !== 'string' || !isCount(month) || !isCount(hits) || !isCount(floor)) return null;
  return [key, { kind: 'month', month, hits, floor }];
}

function parseSelection(value: unknown): CounterSelection | null {
  if (!isJsonObject(value)) return null;
  if ('prefix' in value && typeof value.prefix === 'string') return { prefix: value.prefix };
  const keys: unknown = 'keys' in value ? value.keys : null;
  return Array.isArray(keys) && keys.every((key) => typeof key === 'string') ? { keys } : null;
}

/** Parses JSON. Returns null for any other text, and for characters other than ASCII, which are never written. */
function parse(text: string | null): unknown {
  if (text === null || /[^ -~]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRead<T>(value: T | null): value is T {
  return value !== null;
}
