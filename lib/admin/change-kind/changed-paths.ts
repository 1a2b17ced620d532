import { membersOf } from '@/lib/admin/change-kind/record';

/** A path of member names into a document. */
export type Path = readonly string[];

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A limit is one thing with its window. */
const isWhole = (value: unknown) => !isObject(value) || 'limit' in value || 'window_seconds' in value;

/** What differs between two documents, each limit with its window as a whole. */
export function changedPaths(before: unknown, after: unknown): Path[] {
  const [old, changed] = [membersOf(before), membersOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(changed)])].flatMap((name) => {
    const [was, is] = [old[name], changed[name]];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    const isUnit = [was, is].some((value) => value !== undefined && isWhole(value));
    return isUnit ? [[name]] : changedPaths(was, is).map((path) => [name, ...path]);
  });
}

/** What is at a path; undefined where there is nothing. */
export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, name) => membersOf(value)[name], document);
}

/** The document with another value at a path; undefined takes it away, with the objects that it leaves empty. */
export function withValueAt(document: unknown, [name, ...rest]: Path, value: unknown): Members {
  if (name === undefined) return membersOf(value);
  const { [name]: present, ...others } = membersOf(document);
  const inner = rest.length === 0 ? value : withValueAt(present, rest, value);
  if (inner === undefined || (rest.length > 0 && Object.keys(membersOf(inner)).length === 0)) return others;
  return { ...membersOf(document), [name]: inner };
}
