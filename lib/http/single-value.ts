/**
 * The value of a header that may occur once; repeated headers arrive joined by commas, and equal values count as one.
 * @returns null without a value, `several` for different ones
 */
export function singleValue(header: string | null): string | 'several' | null {
  if (header === null) return null;
  const values = new Set(header.split(',').map((value) => value.trim()));
  values.delete('');
  if (values.size > 1) return 'several';
  return [...values][0] ?? null;
}
