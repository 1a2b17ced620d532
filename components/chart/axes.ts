import { formatWindow } from '@/components/format/duration';
import { findOffset, formatClock, formatDate, nameZone } from '@/components/format/time';
import { DAY, HOUR, MINUTE } from '@/lib/units';

/** Round distances between ticks, in milliseconds. */
const DISTANCES = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7].map((days) => days * DAY),
];
const MOST_TICKS = 7;

/** Time zone of an axis. Steps of a day are UTC days in every zone, because the server counts by UTC day. */
export function chooseAxisZone(step: number, zone: string): string {
  return step >= DAY ? 'UTC' : zone;
}

/**
 * Formats a tick of the time axis: time of day for spans up to two days, else the date. Both arguments are in
 * milliseconds.
 */
export function formatTick(at: number, span: number, zone: string): string {
  return span <= 2 * DAY ? formatClock(at, zone) : formatDate(at, zone);
}

/** Formats a step: `20 Nov 12:00–12:05 CET`, or only the day if the step is a day. Arguments are in milliseconds. */
export function formatStep(at: number, step: number, zone: string): string {
  if (step >= DAY) return `${formatDate(at, 'UTC')} UTC`;
  return `${formatDate(at, zone)} ${formatClock(at, zone)}–${formatClock(at + step, zone)} ${nameZone(at, zone)}`;
}

/** Returns three or four round, whole ticks for an axis from 0 to at least `most`, which must be above 0. */
export function computeValueTicks(most: number): number[] {
  const rough = most / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}

/**
 * Returns the indexes of the steps that begin at a round time of day in the zone: at most seven, at equal distances.
 * @param step length of a step, in milliseconds
 */
export function chooseTimeTicks(points: readonly { at: number }[], step: number, zone: string): number[] {
  const shown = points.map(({ at }) => at + findOffset(at, zone));
  for (const distance of DISTANCES) {
    if (distance < step) continue;
    const round = shown.flatMap((at, index) => (at % distance === 0 ? index : []));
    if (round.length <= MOST_TICKS) return round;
  }
  return [];
}

/** Names the length of a step, in milliseconds: `minute`, `30 min`, `day`. */
export function nameStep(step: number): string {
  if (step === DAY) return 'day';
  return step === MINUTE ? 'minute' : formatWindow(step / 1000);
}
