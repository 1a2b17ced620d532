/**
 * Escapes characters that a reader cannot see: bidirectional controls, which reorder the surrounding text, and other
 * format characters. `\u202e` becomes the six characters of its escape.
 */
export function showInvisible(text: string): string {
  return text.replace(
    /[\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
