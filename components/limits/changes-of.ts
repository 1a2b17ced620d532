/** A JSON merge patch (RFC 7396) that turns `before` into `after`, which has the same members; undefined when equal. */
export function changesOf(before: unknown, after: unknown): unknown {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) {
    return before === after ? undefined : after;
  }
  const old = new Map(Object.entries(before));
  const changes = Object.entries(after).flatMap(([name, value]) => {
    const change = changesOf(old.get(name), value);
    return change === undefined ? [] : [[name, change] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
