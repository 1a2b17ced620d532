import { formatWindow } from '@/components/format/duration';
import type { LimitWindow } from '@/lib/contract/fields/named-limit';
import { formatNumber } from '@/lib/format-number';

/** Numbers of a class or of a named limit, as answers state them. */
export interface ShownNumbers {
  limit: number;
  window_seconds: number;
  windows?: LimitWindow[] | undefined;
  in_flight?: { limit: number } | undefined;
}

/** Formats numbers: `60 in 1 min`, `1 in 30 s, 5 in 1 h`, `2 in flight`. */
export function formatLimitNumbers({ limit, window_seconds, windows, in_flight: places }: ShownNumbers): string {
  if (windows === undefined && places === undefined) return `${formatNumber(limit)} in ${formatWindow(window_seconds)}`;
  return [
    ...(windows ?? []).map(
      (window) =>
        `${formatNumber(window.limit)} in ${window.seconds === 'month' ? 'a month' : formatWindow(window.seconds)}`,
    ),
    ...(places === undefined ? [] : [`${formatNumber(places.limit)} in flight`]),
  ].join(', ');
}
