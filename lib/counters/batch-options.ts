import type { GroupOptions } from '@/lib/counters/group-commit';
import type { CounterStore } from '@/lib/counters/store';

/**
 * How decisions become groups, by store. A file decides within one turn of the event loop. A server decides the next
 * group while the answer to the last one is on its way; Redis, which is quick, is worth a call of its own for a few
 * decisions, a libSQL server, which commits each time, is not.
 */
const GROUPS: Record<CounterStore['kind'], GroupOptions> = {
  embedded: { depth: 1 },
  local: { depth: 1 },
  redis: { depth: 4, divideFrom: 4 },
  remote: { depth: 4 },
};

export function groupsOf(kind: CounterStore['kind']): GroupOptions {
  return GROUPS[kind];
}
