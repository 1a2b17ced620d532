/**
 * A header that may come once; repeated headers arrive joined by commas, and the same value twice is one.
 * @returns null when there is none, `several` when there are different ones
 */
export function singleValue(header: string | null): string | 'several' | null {
  if (header === null) return null;
  const values = new Set(header.split(',').map((value) => value.trim()));
  values.delete('');
  if (values.size > 1) return 'several';
  return [...values][0] ?? null;
}
