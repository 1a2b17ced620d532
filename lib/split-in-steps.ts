/** Splits a list into parts of at most `most` elements, in order, because it is too long for one call. */
export function* splitInSteps<T>(list: readonly T[], most: number): Generator<T[]> {
  for (let i = 0; i < list.length; i += most) yield list.slice(i, i + most);
}
