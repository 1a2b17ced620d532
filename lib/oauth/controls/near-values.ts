/**
 * Writes a code, a token or a secret in the other letter case. Hexadecimal digits mean the same in both cases, and many
 * servers decode them, so such a value is returned unchanged.
 */
export function swapLetterCase(value: string): string {
  if (/^[\da-f-]*$/i.test(value)) return value;
  return value === value.toLowerCase() ? value.toUpperCase() : value.toLowerCase();
}

/** Returns a code or a token without its last quarter. A server that compares only the beginning takes it for the whole. */
export const cutEnd = (value: string): string => value.slice(0, Math.ceil(value.length * 0.75));
