import { formatDistance, formatWindow } from '@/components/format/duration';

/** Length of a month in answers of the API, in seconds. */
const MONTH = 2_678_400;

/** Formats the window of a limit: `in 1 h`, `this month`, `places`. */
export function formatLimitSpan({
  window_seconds: seconds,
  limit_name: name,
  in_flight: isPlaces,
}: {
  window_seconds: number;
  limit_name?: string;
  in_flight?: true;
}): string {
  if (isPlaces) return 'places in flight';
  return name !== undefined && seconds === MONTH ? 'this month' : `in ${formatWindow(seconds)}`;
}

/** Says when a counter is empty again. */
export function describeRelease({ used, reset }: { used: number; reset: number }, now: number | null): string {
  if (used === 0) return 'Not used';
  return now === null ? '' : `Fully reset ${formatDistance(reset * 1000, now)}`;
}
