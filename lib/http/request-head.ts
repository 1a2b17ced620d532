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
