import { decodeEscapes, decodeSegments } from '@/lib/http/path-escapes';

/** A path without escapes, parameters, empty segments, dot segments or backslashes. Every server reads it alike. */
const PLAIN = /^(?:\/[^/.%;#\\][^/%;#\\]*)+$/;

/** Returns whether a path has only one reading. This check is fast, and most paths pass it. */
export function isPlain(path: string): boolean {
  return PLAIN.test(path) && !path.endsWith('.') && !path.endsWith(' ');
}

/**
 * Lists every path to which a common server, or two of them in a row, could route a request. `docs/paths.md` says which
 * server does what. Servers differ in these points:
 *
 * - They decode before they split at slashes, after that (an encoded slash separates nothing then), or twice.
 * - They keep path parameters (`;x`), remove them, or end the path there.
 * - They resolve dot segments, merge slashes, or read a backslash as a slash.
 * - They ignore a slash, dots or spaces at the end.
 *
 * The number of readings is bounded, and each takes time linear in the path. Escapes of bytes beyond ASCII stay,
 * because patterns are compared in that form. An invalid escape therefore leaves the others decoded.
 * @param path path without query
 * @returns different paths, in the letter case of `path`
 */
export function listReadings(path: string): readonly string[] {
  if (isPlain(path)) return [path];
  if (last.path !== path) last = { path, readings: read(path) };
  return last.readings;
}

/** The last result. It is cached, because enforcement reads the path of one request several times. */
let last: { path: string; readings: readonly string[] } = { path: '/', readings: ['/'] };

function read(sentPath: string): readonly string[] {
  const path = sentPath.startsWith('/') ? sentPath : `/${sentPath}`;
  const readings = new Set<string>();
  const add = (reading: string) => {
    for (const ended of [trimEnd(reading, '. '), reading]) {
      // The form without the slash comes first, because most patterns end that way.
      if (ended.length > 1 && ended.endsWith('/')) readings.add(ended.slice(0, -1));
      readings.add(ended);
    }
  };
  for (const decoded of listDecodings(listArrivals(path))) {
    const merged = merge(decoded);
    add(resolve(merge(merged.replaceAll('\\', '/'))));
    add(resolve(merged));
    add(resolve(decoded));
    add(merged);
    add(decoded);
  }
  // Some servers resolve only the dot segments that are not encoded.
  const resolved = resolve(path);
  if (resolved !== path) {
    for (const decoded of listDecodings([resolved])) {
      add(merge(decoded));
      add(decoded);
    }
  }
  return [...readings];
}

/**
 * Lists the forms in which a path can arrive at the server that routes it: as it was sent, or normalised by a gateway.
 */
function listArrivals(path: string): Set<string> {
  const decoded = decodeEscapes(path);
  const all = new Set([cutAt(path, '#'), path, decoded]);
  const tidied = resolve(merge(decoded));
  // Nginx can forward its `$uri`, in which an encoded `?` begins the query.
  all
    .add(cutAt(tidied, '?'))
    .add(cutAt(cutAt(tidied, '?'), '#'))
    .add(tidied);
  return all.add(removeHost(path));
}

/**
 * Lists the forms to which servers decode paths, fully decoded forms first. A semicolon begins a parameter, or a query
 * (Fastify 4).
 */
function listDecodings(arrived: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const path of arrived) {
    for (const sent of new Set([removeParameters(path), path, cutAt(path, ';')])) {
      const once = decodeEscapes(sent);
      all.add(removeParameters(once)).add(once).add(cutAt(once, ';')).add(decodeSegments(sent));
    }
  }
  return all;
}

/** Removes trailing characters that are in `end`. Caddy and Windows ignore dots and spaces there. */
function trimEnd(path: string, end: string): string {
  let length = path.length;
  while (length > 1 && end.includes(path.charAt(length - 1))) length -= 1;
  return path.slice(0, length);
}

function removeParameters(path: string): string {
  return path.includes(';') ? path.replace(/;[^/\\]*/g, '') : path;
}

/** Removes a host: `new URL(target, base)` parses the part after two slashes as a host. */
function removeHost(path: string): string {
  const host = /^\/[/\\]+[^/\\]*/.exec(path);
  return host === null ? path : `/${path.slice(host[0].length + 1)}`;
}

function cutAt(path: string, end: string): string {
  const at = path.indexOf(end);
  return at < 0 ? path : path.slice(0, at);
}

function merge(path: string): string {
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}

/** Removes dot segments (RFC 3986 section 5.2.4). */
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
