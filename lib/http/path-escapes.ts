/** ASCII characters by their escape, without `%`. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 128 }, (_, code) => code).flatMap((code) => {
    const [high = '', low = ''] = code.toString(16).padStart(2, '0');
    const spellings = [high + low, high + low.toUpperCase()];
    return spellings.map((digits): [string, string] => [digits, String.fromCharCode(code)]);
  }),
);

/**
 * Decodes the escapes of ASCII characters one by one.
 * Keeps invalid escapes, and those of bytes beyond ASCII, which are only parts of characters.
 * @param except a character whose escapes stay too
 */
export function decodeEscapes(path: string, except?: string): string {
  if (!path.includes('%')) return path;
  const [start = '', ...parts] = path.split('%');
  let decoded = start;
  for (const part of parts) {
    const character = CHARACTERS.get(part.slice(0, 2));
    decoded += character === undefined || character === except ? `%${part}` : character + part.slice(2);
  }
  return decoded;
}

/** Decodes the escapes inside each segment. Keeps an encoded slash, which does not separate segments. */
export function decodeSegments(path: string): string {
  return decodeEscapes(path, '/');
}
