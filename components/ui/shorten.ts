/** Up to here an identifier is shown whole: an IPv4 range fits. */
const WHOLE = 20;
/** Characters that stay at the end: what tells neighbours apart. */
const TAIL = 8;

/** Where an identifier may be cut when its place is too narrow; null where it is short enough. Never inside a character. */
export function splitIdentifier(text: string): readonly [head: string, tail: string] | null {
  const characters = [...text];
  if (characters.length <= WHOLE) return null;
  return [characters.slice(0, -TAIL).join(''), characters.slice(-TAIL).join('')];
}

/** An identifier of at most `most` characters, shortened in the middle, for toasts and titles. */
export function shorten(text: string, most = 40): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const tail = Math.floor((most - 1) / 3);
  return `${characters.slice(0, most - 1 - tail).join('')}…${characters.slice(-tail).join('')}`;
}
