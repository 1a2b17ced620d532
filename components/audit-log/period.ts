import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { formatWallClock, parseWallClock } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useMinute } from '@/components/format/use-now';
import { TimestampInput } from '@/lib/contract/fields/timestamp';
import { DAY } from '@/lib/units';

export const PERIODS = ['all', 'today', '7d', '30d', 'own'] as const;
export type Period = (typeof PERIODS)[number];

/** Number of days before today at which each preset begins. */
const DAYS = { today: 0, '7d': 7, '30d': 30 } as const;

interface Days {
  period: Period;
  /** First and last day of a custom period: `2026-11-20`. Empty means open-ended. */
  from: string;
  to: string;
}

/** Converts a period for the API: from the start of its first day to the end of its last, in the given time zone. */
export function buildPeriodQuery(
  { period, from, to }: Days,
  now: number,
  zone: string,
): { from?: string; to?: string } {
  if (period === 'all') return {};
  const begin = (day: string, later = 0) => {
    const { data: time } = TimestampInput.safeParse(`${day}T00:00:00Z`);
    if (time === undefined) return undefined;
    const begins = parseWallClock(new Date(time + later * DAY).toISOString().slice(0, 16), zone);
    // The API has times of the years 1 to 9999. A period that reaches beyond them is open-ended.
    return TimestampInput.safeParse(begins).success ? begins : undefined;
  };
  if (period === 'own') return { from: begin(from), to: begin(to, 1) };
  const today = formatWallClock(new Date(now).toISOString(), zone).slice(0, 10);
  return { from: begin(today, -DAYS[period]) };
}

/** Keeps the listed period in the URL. */
export function usePeriod() {
  const now = useMinute();
  const { zone } = useTimeZone();
  const [state, setState] = useQueryStates(
    {
      period: parseAsStringLiteral(PERIODS).withDefault('all'),
      from: parseAsString.withDefault(''),
      to: parseAsString.withDefault(''),
    },
    { history: 'replace' },
  );
  return {
    ...state,
    /**
     * Period for the API. Null during server rendering, because the server has neither the reader's clock nor their
     * time zone.
     */
    query: now === null ? null : buildPeriodQuery(state, now, zone),
    setPeriod: (period: Period) => void setState({ period, ...(period === 'own' ? {} : { from: null, to: null }) }),
    setDays: (days: Partial<Pick<Days, 'from' | 'to'>>) => void setState(days),
  };
}
