/** Header with which Next's router in the browser says what it shows already. Next answers 500 if it cannot be read. */
export const ROUTER_STATE = 'next-router-state-tree';

/** Types of dynamic segments: catch-all, optional catch-all, dynamic, and those that intercept another route. */
const DYNAMIC = /^(?:oc|[cd]|[cd]i(?:\(\.\.\)\(\.\.\)|\(\.\)|\(\.\.\)|\(\.\.\.\)))$/;
const MARKERS = new Set<unknown>([undefined, null, 'refetch', 'inside-shared-layout', 'metadata-only']);

/** Returns whether a header is a router state as Next requires it: JSON in percent-encoding. */
export function isRouterState(header: string): boolean {
  try {
    return isTree(JSON.parse(decodeURIComponent(header)));
  } catch {
    return false;
  }
}

/** A segment, the trees below it by the names of their slots, and up to four parts that are optional. */
function isTree(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > 6) return false;
  const [segment, children, url, marker, hints, extra]: unknown[] = value;
  if (typeof children !== 'object' || children === null) return false;
  return (
    isSegment(segment) &&
    Object.values(children).every(isTree) &&
    (url == null || (Array.isArray(url) && url.length === 2 && url.every(isText))) &&
    MARKERS.has(marker) &&
    (hints == null || typeof hints === 'number') &&
    (extra === undefined || isText(extra))
  );
}

/** A name, or a parameter: its name, its value, its type and its static siblings. */
function isSegment(value: unknown): boolean {
  if (isText(value)) return true;
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [name, key, type, siblings]: unknown[] = value;
  const isParameter = isText(name) && isText(key) && isText(type) && DYNAMIC.test(type);
  return isParameter && (siblings === null || (Array.isArray(siblings) && siblings.every(isText)));
}

const isText = (value: unknown): value is string => typeof value === 'string';
