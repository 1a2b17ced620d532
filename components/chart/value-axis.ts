/** Values to mark on an axis that starts at 0 and holds `most` (above 0): three or four round steps of whole numbers. */
export function valueTicks(most: number): number[] {
  const rough = most / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((one) => one * magnitude >= rough) ?? 10) * magnitude);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}
