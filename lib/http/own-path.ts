/** No site has this origin (RFC 2606): a target that is still below it after parsing names none. */
const BASE = 'http://own.invalid';
/** Pages that lead elsewhere themselves. */
const LEADING = /^\/(?:sign-in|invitation)/;

/**
 * A path and query of this origin to return to after a sign-in, else `/`. Parsed as browsers do (WHATWG URL), which drop
 * tabs and line breaks and read a backslash as a slash; the result is what they would make of it.
 */
export function ownPath(value: string | string[] | undefined): string {
  const parsed = typeof value === 'string' && value.startsWith('/') ? parseOwn(value) : null;
  if (parsed === null || LEADING.test(parsed.pathname)) return '/';
  const path = parsed.pathname + parsed.search + parsed.hash;
  // `/.//host` parses to the path `//host`, which names another host when it is parsed again.
  return parseOwn(path)?.href === parsed.href ? path : '/';
}

function parseOwn(value: string): URL | null {
  const parsed = URL.canParse(value, BASE) ? new URL(value, BASE) : null;
  return parsed?.origin === BASE ? parsed : null;
}
