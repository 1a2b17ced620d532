const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A tick of the time axis in UTC: time of day for spans up to two days, else the day. Both in milliseconds. */
export function formatTick(at: number, span: number): string {
  return span <= 2 * 86_400_000 ? CLOCK.format(at) : DAY.format(at);
}

/** `20 Nov 12:00–12:05 UTC`, or just the day for steps of a day. Milliseconds. */
export function formatStep(at: number, step: number): string {
  if (step >= 86_400_000) return `${DAY.format(at)} UTC`;
  return `${DAY.format(at)} ${CLOCK.format(at)}–${CLOCK.format(at + step)} UTC`;
}

/** Three or four round, whole ticks for an axis from 0 to at least `most` (above 0). */
export function valueTicks(most: number): number[] {
  const rough = most / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}
