import { formatNumber } from '@/lib/format-number';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/**
 * Formats a duration, rounded to the nearest unit: `45 s`, `3 min`, `36 h`, `6 d`. Hours are shown up to two days and
 * minutes up to two hours, so that rounding never changes a duration by more than a quarter. `seconds` >= 0.
 */
export function formatDuration(seconds: number): string {
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  const hours = Math.round(seconds / 3_600);
  if (minutes < 120 && minutes !== 60) return `${minutes} min`;
  if (hours < 48 && hours !== 24) return `${hours} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** Formats a wait like `formatDuration`, but rounds up, so that waiting that long always suffices. */
export function formatWait(seconds: number): string {
  const unit = seconds < 60 ? 1 : seconds < 7_200 ? 60 : seconds < 2 * 86_400 ? 3_600 : 86_400;
  return formatDuration(Math.ceil(seconds / unit) * unit);
}

/** Formats a window exactly, in the largest unit that divides it: `1 h`, `90 s`, `2 d`. */
export function formatWindow(seconds: number): string {
  for (const [unit, length] of UNITS) {
    if (seconds >= length && seconds % length === 0) return `${seconds / length} ${unit}`;
  }
  return `${seconds} s`;
}

/** Formats the distance from `now` to `at`, both in milliseconds: `in 3 h`, `2 min ago`, `just now`. */
export function formatDistance(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 5) return 'just now';
  const text = formatDuration(Math.abs(seconds));
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** Describes the average rate of a limit: `about one every 6 s`, `about 100 a second`. */
export function formatPace(limit: number, windowSeconds: number): string {
  if (limit <= 0) return 'nothing is admitted';
  const gap = windowSeconds / limit;
  if (gap >= 1) return `about one every ${formatNumber(Number(gap.toFixed(gap < 10 ? 1 : 0)))} s`;
  return `about ${Number((1 / gap).toFixed(1)).toLocaleString('en-US')} a second`;
}
