const separated = new Intl.NumberFormat('en-US');

/** Formats a number with separators: `12,345`. */
export function formatNumber(value: number | bigint): string {
  return separated.format(value);
}

/** Formats a count with its noun: `1 key`, `2 keys`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}
