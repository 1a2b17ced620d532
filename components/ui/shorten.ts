/** Maximum length of an identifier that is shown whole. An IPv4 range fits. */
const WHOLE = 20;
/** Number of characters kept at the end, which distinguish similar identifiers. */
const TAIL = 8;

/**
 * Splits an identifier at the position where it may be truncated. Null if it is short enough. Characters are never
 * split.
 */
export function splitIdentifier(text: string): readonly [head: string, tail: string] | null {
  const characters = [...text];
  if (characters.length <= WHOLE) return null;
  return [characters.slice(0, -TAIL).join(''), characters.slice(-TAIL).join('')];
}

/** Shortens an identifier in the middle to at most `most` characters, for toasts and titles. */
export function shorten(text: string, most = 40): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const tail = Math.floor((most - 1) / 3);
  return `${characters.slice(0, most - 1 - tail).join('')}…${characters.slice(-tail).join('')}`;
}
