import { formatClock, formatDate, zoneName } from '@/components/format/time';

const DAY = 86_400_000;

/** The zone of an axis: steps of a day are days of UTC, in which the server counts them, in every zone. */
export function axisZone(step: number, zone: string): string {
  return step >= DAY ? 'UTC' : zone;
}

/** A tick of the time axis: time of day for spans up to two days, else the day. Both in milliseconds. */
export function formatTick(at: number, span: number, zone: string): string {
  return span <= 2 * DAY ? formatClock(at, zone) : formatDate(at, zone);
}

/** `20 Nov 12:00–12:05 CET`, or just the day for steps of a day. Milliseconds. */
export function formatStep(at: number, step: number, zone: string): string {
  if (step >= DAY) return `${formatDate(at, 'UTC')} UTC`;
  return `${formatDate(at, zone)} ${formatClock(at, zone)}–${formatClock(at + step, zone)} ${zoneName(at, zone)}`;
}

/** Three or four round, whole ticks for an axis from 0 to at least `most` (above 0). */
export function valueTicks(most: number): number[] {
  const rough = most / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}
