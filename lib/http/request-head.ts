import { ApiError } from '@/lib/http/api-error';

/** Reads header fields by name, in any letter case. Repeated fields are joined by commas. */
export interface HeaderReader extends Pick<Headers, 'get' | 'has'> {
  /** Returns every value of a field, by its name in lower case. Missing if only the joined value is available. */
  listValues?(name: string): readonly string[];
}

/**
 * A request without its body.
 * A `Request` is one. The decision path builds one from Node's request at a fraction of the cost.
 */
export interface RequestHead {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  readonly headers: HeaderReader;
}

/**
 * Checks whether a request is a CORS preflight, which browsers send before a script's request, without credentials
 * (Fetch standard, section "CORS-preflight request").
 */
export function isPreflight(method: string, headers: HeaderReader): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method') && headers.has('origin');
}

/**
 * Reads the value of a header that may occur once. Repeated headers arrive joined by commas; equal values count as one.
 * @returns null if there is no value, `several` for different values
 */
export function readSingleValue(header: string | null): string | 'several' | null {
  if (header === null) return null;
  const values = new Set(header.split(',').map((value) => value.trim()));
  values.delete('');
  if (values.size > 1) return 'several';
  return [...values][0] ?? null;
}

/** Separator of joined fields. */
const JOINED = /,[ \t]+/;

/**
 * Reads the value of a header that affects a decision and may itself contain commas. Equal values count as one.
 * If only the joined value is available, a comma with white space separates two values.
 * @param name in lower case
 * @throws ApiError invalid_request for different values, because a gateway that appends to a client's header would let
 *   the client choose which one counts
 */
export function readOnlyValue(headers: HeaderReader, name: string): string | null {
  const value = headers.get(name);
  if (value === null || !JOINED.test(value)) return value;
  const [first, ...others] = new Set(headers.listValues?.(name) ?? value.split(JOINED));
  if (others.length > 0) throw new ApiError('invalid_request', `The header ${name} has several values.`);
  return first ?? value;
}

/** Decodes the bytes of a header value, which servers read as Latin-1, as UTF-8. Other bytes stay as they are. */
export function decodeHeaderText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : value;
}

/**
 * Lists the values that applications take of a header, as text: all lines joined, or the first or last line.
 * @param name in lower case
 */
export function listHeaderReadings(headers: HeaderReader, name: string): string[] {
  const joined = headers.get(name);
  if (joined === null) return [];
  const lines = headers.listValues?.(name) ?? [];
  return [...new Set([joined, lines[0] ?? joined, lines.at(-1) ?? joined])]
    .filter((value) => value !== '')
    .map(decodeHeaderText);
}
