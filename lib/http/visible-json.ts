/** Matches DEL, C1 controls, direction marks and other format characters, and line and paragraph separators. */
const INVISIBLE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Serializes JSON with escapes for invisible characters, so that untrusted text cannot reorder what a person reads.
 * A parser gets the same value.
 */
export function formatVisibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(INVISIBLE, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
