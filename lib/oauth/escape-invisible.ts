/**
 * Escapes invisible characters of untrusted text: control characters, direction marks, other invisible characters and
 * single surrogates. Tabs and line breaks stay. For display only; React still escapes markup.
 */
export function escapeInvisibleCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
