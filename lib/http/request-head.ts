import { ApiError } from '@/lib/http/api-error';

/** Header fields by name, in any letter case; a field that came several times is one value with commas. */
export interface HeaderReader extends Pick<Headers, 'get' | 'has'> {
  /** Every value of a field, by its name in lower case. Missing where only the joined value is known. */
  all?(name: string): readonly string[];
}

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
 * Whether a request is a CORS preflight: what a browser sends by itself, without credentials, before a request of a script
 * (Fetch standard, section "CORS-preflight request").
 */
export function isPreflight(method: string, headers: HeaderReader): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method') && headers.has('origin');
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

/** How fields that came several times are joined. */
const JOINED = /,[ \t]+/;

/**
 * The value of a header that decides something and may itself hold commas. Equal values count as one. Where only the joined
 * value is known, a comma and white space separate two.
 * @param name in lower case
 * @throws ApiError invalid_request for different values: a gateway that appends to what its client sent would leave it to
 *   the client which one counts
 */
export function onlyValue(headers: HeaderReader, name: string): string | null {
  const value = headers.get(name);
  if (value === null || !JOINED.test(value)) return value;
  const [first, ...others] = new Set(headers.all?.(name) ?? value.split(JOINED));
  if (others.length > 0) throw new ApiError('invalid_request', `The header ${name} has several values.`);
  return first ?? value;
}
