/**
 * The rows that contain every word of `search` in one of their texts and, for each facet in which something is chosen,
 * have one of the chosen values.
 */
export function matchRows<Row, Facet extends string>(
  rows: readonly Row[],
  filter: { search: string; facets: Record<Facet, readonly string[]> },
  read: { text: (row: Row) => readonly (string | null | undefined)[]; facet: (row: Row, facet: Facet) => string },
): Row[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const facets = (Object.entries(filter.facets) as [Facet, readonly string[]][]).filter(
    ([, values]) => values.length > 0,
  );
  return rows.filter((row) => {
    if (!facets.every(([facet, values]) => values.includes(read.facet(row, facet)))) return false;
    if (words.length === 0) return true;
    const text = read.text(row).join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
