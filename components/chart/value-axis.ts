/** Three or four round, whole ticks for an axis from 0 to at least `most` (above 0). */
export function valueTicks(most: number): number[] {
  const rough = most / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}
