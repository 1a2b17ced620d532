import { isJsonObject, type JsonObject } from '@/lib/json';

/** One value that differs, under its dotted path. An array is one value. */
export interface ValueChange {
  path: string;
  from: unknown;
  to: unknown;
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Lists the changes that turn `from` into `to`, in the order of `to`. Members that `to` lacks are omitted. */
export function listValueChanges(from: unknown, to: unknown, path = ''): ValueChange[] {
  if (!isJsonObject(to)) return isSameValue(from, to) ? [] : [{ path, from, to }];
  const old: JsonObject = isJsonObject(from) ? from : {};
  return Object.entries(to).flatMap(([name, value]) =>
    listValueChanges(old[name], value, path === '' ? name : `${path}.${name}`),
  );
}

/** Returns the value at a dotted path. Undefined if there is none. */
export function findValueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), values);
}

/** Change of a draft. `conflict` is true if another member has since changed the same value. */
export interface DraftChange extends ValueChange {
  conflict: boolean;
}

/**
 * Applies the changes of a draft, begun on `before`, to the saved values. Changes that equal `saved`, or whose field it
 * no longer has, are omitted.
 * @param discriminator field that decides which others are shown. The draft keeps its value, even if the member never
 * changed it and only the saved value did
 */
export function rebaseDraft(
  before: JsonObject,
  draft: JsonObject,
  saved: JsonObject,
  discriminator?: string,
): DraftChange[] {
  const base = discriminator === undefined ? before : { ...before, [discriminator]: saved[discriminator] };
  return listValueChanges(base, draft).flatMap(({ path, from, to }) => {
    const now = findValueAt(saved, path);
    if (now === undefined || isSameValue(now, to)) return [];
    return [{ path, from: now, to, conflict: !isSameValue(now, from) }];
  });
}
