/** A value that differs, under its dotted path. Arrays are one value. */
export interface ValueChange {
  path: string;
  from: unknown;
  to: unknown;
}

type Members = Record<string, unknown>;

export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What turns `from` into `to`, in the order of `to`. Members that `to` does not have are left out. */
export function changesBetween(from: unknown, to: unknown, path = ''): ValueChange[] {
  if (!isMembers(to)) return sameValue(from, to) ? [] : [{ path, from, to }];
  const old: Members = isMembers(from) ? from : {};
  return Object.entries(to).flatMap(([name, value]) =>
    changesBetween(old[name], value, path === '' ? name : `${path}.${name}`),
  );
}

/** The value at a dotted path; undefined where there is none. */
export function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), values);
}

/** A change of a draft that was begun on an older version. `saved` is set where someone else changed the same value. */
export interface DraftChange extends ValueChange {
  conflict: boolean;
}

/**
 * The changes of a draft, begun on `before`, on top of what is saved by now. Those that say the same as `saved`, or
 * concern what it no longer has, are left out.
 */
export function rebaseDraft(before: unknown, draft: unknown, saved: unknown): DraftChange[] {
  return changesBetween(before, draft).flatMap(({ path, from, to }) => {
    const now = valueAt(saved, path);
    if (now === undefined || sameValue(now, to)) return [];
    return [{ path, from: now, to, conflict: !sameValue(now, from) }];
  });
}
