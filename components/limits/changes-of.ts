/**
 * What of `after` differs from `before`, as a JSON merge patch (RFC 7396); undefined when nothing does. Both have the
 * same members.
 */
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
