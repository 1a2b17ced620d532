import { readMembers } from '@/lib/admin/change-kind/record';
import { isJsonObject, type JsonObject } from '@/lib/json';

/** A path of member names into a document. */
export type Path = readonly string[];

/** A limit and its window are one value. */
const isWhole = (value: unknown) => !isJsonObject(value) || 'limit' in value || 'window_seconds' in value;

/** Lists the paths at which two documents differ. A limit and its window count as one value. */
export function listChangedPaths(before: unknown, after: unknown): Path[] {
  const [old, changed] = [readMembers(before), readMembers(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(changed)])].flatMap((name) => {
    const [was, is] = [old[name], changed[name]];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    const isUnit = [was, is].some((value) => value !== undefined && isWhole(value));
    return isUnit ? [[name]] : listChangedPaths(was, is).map((path) => [name, ...path]);
  });
}

/** Reads the value at a path. Undefined if there is none. */
export function readValueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, name) => readMembers(value)[name], document);
}

/** Replaces the value at a path of a document. Undefined removes it, and the objects that become empty. */
export function setValueAt(document: unknown, [name, ...rest]: Path, value: unknown): JsonObject {
  if (name === undefined) return readMembers(value);
  const { [name]: present, ...others } = readMembers(document);
  const inner = rest.length === 0 ? value : setValueAt(present, rest, value);
  if (inner === undefined || (rest.length > 0 && Object.keys(readMembers(inner)).length === 0)) return others;
  return { ...readMembers(document), [name]: inner };
}
