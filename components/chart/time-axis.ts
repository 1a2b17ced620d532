const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A mark on the time axis, in UTC: the clock for spans up to two days, else the day. Both in milliseconds. */
export function formatTick(at: number, span: number): string {
  return span <= 2 * 86_400_000 ? CLOCK.format(at) : DAY.format(at);
}

/** A step in words: `20 Nov 12:00–12:05 UTC`, or the day alone when the step is one. Milliseconds. */
export function formatStep(at: number, step: number): string {
  if (step >= 86_400_000) return `${DAY.format(at)} UTC`;
  return `${DAY.format(at)} ${CLOCK.format(at)}–${CLOCK.format(at + step)} UTC`;
}
