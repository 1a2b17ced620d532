import { GROUP_OPTIONS, GroupCommit } from '../lib/counters/group-commit';
import type { CounterStore } from '../lib/counters/store';
import { counterKey } from '../lib/limiter/counter-key';
import type { Attempt, Verdict, Window } from '../lib/limiter/meter';

/** Whether it admits one more request of a client. */
export interface Limiter {
  name: string;
  admits: (client: string) => Promise<boolean>;
}

export interface Rule {
  limit: number;
  /** Length of the window. */
  seconds: number;
}

/** Single decisions that the queue groups, as in the engine. */
export function own(name: string, store: CounterStore, { limit, seconds }: Rule): Limiter {
  const window: Window = { kind: 'sliding', seconds };
  const queue = new GroupCommit(async (attempts: readonly Attempt[]): Promise<readonly Verdict[]> => {
    const answer = await store.commit(0, attempts);
    if (answer.kind === 'stale') throw new Error('The revision does not move in a benchmark.');
    return answer.verdicts;
  }, GROUP_OPTIONS[store.kind]);
  return {
    name,
    admits: async (client) => {
      const meter = { subject: 'ip' as const, key: counterKey('ip', client, 'read', window), limit, window };
      return (await queue.submit({ cost: 1, meters: [meter] })).admitted;
    },
  };
}

/** One of rate-limiter-flexible. */
export function flexible(name: string, limiter: { consume(key: string): Promise<unknown> }): Limiter {
  return {
    name,
    admits: (client) =>
      limiter.consume(client).then(
        () => true,
        (refusal: unknown) => {
          if (refusal instanceof Error) throw refusal;
          return false;
        },
      ),
  };
}
