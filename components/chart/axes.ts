import { formatClock, formatDate, zoneName } from '@/components/format/time';

const DAY = 86_400_000;

/** Time zone of an axis. Steps of a day are UTC days in every zone, because the server counts by UTC day. */
export function axisZone(step: number, zone: string): string {
  return step >= DAY ? 'UTC' : zone;
}

/**
 * Formats a tick of the time axis: time of day for spans up to two days, else the date. Both arguments are in
 * milliseconds.
 */
export function formatTick(at: number, span: number, zone: string): string {
  return span <= 2 * DAY ? formatClock(at, zone) : formatDate(at, zone);
}

/** Formats a step: `20 Nov 12:00–12:05 CET`, or the day alone if the step is a day. Arguments are in milliseconds. */
export function formatStep(at: number, step: number, zone: string): string {
  if (step >= DAY) return `${formatDate(at, 'UTC')} UTC`;
  return `${formatDate(at, zone)} ${formatClock(at, zone)}–${formatClock(at + step, zone)} ${zoneName(at, zone)}`;
}

/** Returns three or four round, whole ticks for an axis from 0 to at least `most`, which must be above 0. */
export function valueTicks(most: number): number[] {
  const rough = most / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}
