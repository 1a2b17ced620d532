/** Header fields by name, in any letter case; a field that came several times is one value with commas. */
export type HeaderReader = Pick<Headers, 'get' | 'has'>;

/**
 * A request without its body. A `Request` is one; the decision path makes one of Node's request at a fraction
 * of the cost.
 */
export interface RequestHead {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: HeaderReader;
}

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
