/**
 * Writes characters that a reader cannot see as escapes: bidirectional controls, which reorder what stands around them,
 * and other format characters. `\u202e` becomes the six characters of its escape.
 */
export function showInvisible(text: string): string {
  return text.replace(
    /[\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
