import { decode, decodeSegments } from '@/lib/http/path-escapes';

/** A path without escapes, parameters, empty segments, dot segments, backslashes: every server reads it alike. */
const PLAIN = /^(?:\/[^/.%;\\][^/%;\\]*)+$/;

/** Whether a path has one reading: most have, and that is found out faster. */
export function isPlain(path: string): boolean {
  return PLAIN.test(path);
}

/**
 * Every path to which a common server, or two of them in a row, could route a request. They differ in whether they decode
 * before they split at slashes, after that (an encoded slash separates nothing then) or twice; keep path parameters (`;x`),
 * remove them or end the path there; resolve dot segments; merge slashes; read a backslash as a slash; ignore a slash at
 * the end.
 *
 * The number of readings is bounded, and each takes time linear in the path. Escapes of bytes beyond ASCII stay, as
 * patterns are compared in that form, so an invalid one leaves the others decoded.
 * @param path without query
 * @returns different paths, in the letter case of `path`; the first has everything decoded, resolved, merged and removed
 */
export function readingsOf(path: string): readonly string[] {
  if (isPlain(path)) return [path];
  if (last.path !== path) last = { path, readings: read(path) };
  return last.readings;
}

/** Enforcement reads the path of one request several times. */
let last: { path: string; readings: readonly string[] } = { path: '/', readings: ['/'] };

function read(given: string): readonly string[] {
  const path = given.startsWith('/') ? given : `/${given}`;
  const readings = new Set<string>();
  const add = (reading: string) => {
    // Without the slash first: that is how most patterns end.
    if (reading.length > 1 && reading.endsWith('/')) readings.add(reading.slice(0, -1));
    readings.add(reading);
  };
  const sent = new Set([withoutParameters(path), path, upTo(path, ';'), withoutHost(path)]);
  for (const decoded of decodings(sent)) {
    const merged = merge(decoded);
    add(resolve(merge(merged.replaceAll('\\', '/'))));
    add(resolve(merged));
    add(resolve(decoded));
    add(merged);
    add(decoded);
  }
  // Some resolve the dot segments that are not encoded, and no others.
  for (const text of sent) {
    const resolved = resolve(text);
    if (resolved === text) continue;
    for (const decoded of [decode(resolved), decodeSegments(resolved)]) {
      add(merge(decoded));
      add(decoded);
    }
  }
  return [...readings];
}

/** What servers decode paths to, those that decode fully first. */
function decodings(sent: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const path of sent) {
    const once = decode(path);
    // The `$uri` of nginx, sent on: the next server decodes again, and a decoded `?` begins the query.
    const twice = decode(once.replace(/[?#].*$/s, ''));
    for (const decoded of [twice, once]) all.add(withoutParameters(decoded)).add(decoded);
    all.add(decodeSegments(path));
  }
  return all;
}

function withoutParameters(path: string): string {
  return path.includes(';') ? path.replace(/;[^/\\]*/g, '') : path;
}

/** `new URL(target, base)` takes what follows two slashes for a host. */
function withoutHost(path: string): string {
  const host = /^\/[/\\]+[^/\\]*/.exec(path);
  return host === null ? path : `/${path.slice(host[0].length + 1)}`;
}

function upTo(path: string, end: string): string {
  const at = path.indexOf(end);
  return at < 0 ? path : path.slice(0, at);
}

function merge(path: string): string {
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}

/** The path without dot segments (RFC 3986 section 5.2.4). */
function resolve(path: string): string {
  if (!path.includes('/.')) return path;
  const segments: string[] = [];
  let isFolder = false;
  for (const segment of path.slice(1).split('/')) {
    isFolder = segment === '.' || segment === '..';
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}${isFolder && segments.length > 0 ? '/' : ''}`;
}
