/** Returns the `cursor` in the target of `rel="next"` in a `Link` header (RFC 8288). Null on the last page. */
export function findNextCursor(link: string | null): string | null {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next\b/i.exec(link ?? '') ?? [];
  return target === undefined ? null : new URL(target, 'http://origin.invalid').searchParams.get('cursor');
}
