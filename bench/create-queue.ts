import { GroupCommit, groupOptions } from '../lib/counters/group-commit';
import type { CounterStore } from '../lib/counters/store';
import type { Attempt, Verdict } from '../lib/limiter/meter';

/** Groups single decisions, as the engine does. */
export function createQueue(store: CounterStore): GroupCommit<Attempt, Verdict> {
  return new GroupCommit(async (attempts: readonly Attempt[]): Promise<readonly Verdict[]> => {
    const answer = await store.commit(0, attempts);
    if (answer.kind === 'stale') throw new Error('The revision does not move in a benchmark.');
    return answer.verdicts;
  }, groupOptions(store));
}
