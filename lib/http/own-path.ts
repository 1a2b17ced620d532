/** Base URL that no site has (RFC 2606). A target that still has this origin after parsing names no other origin. */
const BASE = 'http://own.invalid';
/** Pages that redirect after a sign-in themselves. */
const LEADING = /^\/(?:sign-in|invitation)/;

/**
 * Returns a path and query of this origin, to return to after a sign-in. Returns `/` for any other target.
 * Parses the target like browsers (WHATWG URL), which drop tabs and line breaks and read a backslash as a slash. The
 * result is the parsed form.
 */
export function parseOwnPath(value: string | string[] | undefined): string {
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
