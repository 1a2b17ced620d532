/** The hits of a `SlidingCounter` in a third of their memory: one UTF-16 unit for each slot, where all are below 65,536. */
export type PackedHits = string | readonly number[];

export function packed(hits: readonly number[]): PackedHits {
  return hits.every((count) => count < 65_536) ? String.fromCharCode(...hits) : hits;
}

export function unpacked(packed: PackedHits): readonly number[] {
  if (typeof packed !== 'string') return packed;
  const hits: number[] = [];
  for (let i = 0; i < packed.length; i += 1) hits.push(packed.charCodeAt(i));
  return hits;
}
