const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Shortens a number for axes and tight spaces: `12.3K`. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** Compensates for floating-point error: 0.29 times 100 is 28.999999999999996. */
const FLOAT_ERROR = 1e-9;

/**
 * Formats a share between 0 and 1, rounded down: `37%`, and `1.8%` below a tenth. Any share above zero is at least
 * `< 0.1%`.
 */
export function formatShare(share: number): string {
  if (share <= 0) return '0%';
  if (share < 0.001) return '< 0.1%';
  const perMille = Math.floor(share * 1_000 + FLOAT_ERROR);
  return `${share < 0.1 ? perMille / 10 : Math.floor(perMille / 10)}%`;
}
