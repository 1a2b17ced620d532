const plain = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function formatNumber(value: number): string {
  return plain.format(value);
}

/** `12.3K`, for axes and tight places. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** `1 key`, `2 keys`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

/** 0.29 times 100 is 28.999999999999996. */
const FLOAT_ERROR = 1e-9;

/** A share between 0 and 1 as `37%`, rounded down; anything above nothing is at least `< 1%`. */
export function formatShare(share: number): string {
  if (share <= 0) return '0%';
  return `${share < 0.01 ? '< 1' : Math.floor(share * 100 + FLOAT_ERROR)}%`;
}
