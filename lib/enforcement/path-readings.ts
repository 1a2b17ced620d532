import { decodeEscapes, decodeSegments } from '@/lib/http/path-escapes';

/** A path without escapes, parameters, empty segments, dot segments, backslashes: every server reads it alike. */
const PLAIN = /^(?:\/[^/.%;#\\][^/%;#\\]*)+$/;

/** Whether a path has one reading: most have, and that is found out faster. */
export function isPlain(path: string): boolean {
  return PLAIN.test(path) && !path.endsWith('.') && !path.endsWith(' ');
}

/**
 * Every path to which a common server, or two of them in a row, could route a request. They differ in whether they decode
 * before they split at slashes, after that (an encoded slash separates nothing then) or twice; keep path parameters (`;x`),
 * remove them or end the path there; resolve dot segments; merge slashes; read a backslash as a slash; ignore a slash,
 * dots or spaces at the end. `docs/paths.md` says which server does what.
 *
 * The number of readings is bounded, and each takes time linear in the path. Escapes of bytes beyond ASCII stay, as
 * patterns are compared in that form, so an invalid one leaves the others decoded.
 * @param path without query
 * @returns different paths, in the letter case of `path`
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
    for (const ended of [withoutEnd(reading, '. '), reading]) {
      // Without the slash first: that is how most patterns end.
      if (ended.length > 1 && ended.endsWith('/')) readings.add(ended.slice(0, -1));
      readings.add(ended);
    }
  };
  for (const decoded of decodings(arrivals(path))) {
    const merged = merge(decoded);
    add(resolve(merge(merged.replaceAll('\\', '/'))));
    add(resolve(merged));
    add(resolve(decoded));
    add(merged);
    add(decoded);
  }
  // Some resolve the dot segments that are not encoded, and no others.
  const resolved = resolve(path);
  if (resolved !== path) {
    for (const decoded of decodings([resolved])) {
      add(merge(decoded));
      add(decoded);
    }
  }
  return [...readings];
}

/** A path as it arrives at the server that routes it: as it was sent, or as a gateway tidies it. */
function arrivals(path: string): Set<string> {
  const decoded = decodeEscapes(path);
  const all = new Set([upTo(path, '#'), path, decoded]);
  const tidied = resolve(merge(decoded));
  // The `$uri` of nginx, sent on: a `?` that was encoded begins the query.
  all
    .add(upTo(tidied, '?'))
    .add(upTo(upTo(tidied, '?'), '#'))
    .add(tidied);
  return all.add(withoutHost(path));
}

/** What servers decode paths to, those that decode fully first. A semicolon begins a parameter, or a query (Fastify 4). */
function decodings(arrived: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const path of arrived) {
    for (const sent of new Set([withoutParameters(path), path, upTo(path, ';')])) {
      const once = decodeEscapes(sent);
      all.add(withoutParameters(once)).add(once).add(upTo(once, ';')).add(decodeSegments(sent));
    }
  }
  return all;
}

/** A path without the last characters that are among those of `end`: Caddy and Windows ignore dots and spaces there. */
function withoutEnd(path: string, end: string): string {
  let length = path.length;
  while (length > 1 && end.includes(path.charAt(length - 1))) length -= 1;
  return path.slice(0, length);
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
