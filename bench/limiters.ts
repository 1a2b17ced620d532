import type { CounterStore } from '../lib/counters/store';
import { buildCounterKey } from '../lib/limiter/counter-key';
import type { Window } from '../lib/limiter/meter';
import { createQueue } from './create-queue';

/** Returns whether it admits one more request of a client. */
export interface Limiter {
  name: string;
  admits: (client: string) => Promise<boolean>;
}

export interface Rule {
  limit: number;
  /** Length of the window, in seconds. */
  seconds: number;
}

/** Limiter: Sluice's store. The queue groups single decisions, as in the engine. */
export function createOwnLimiter(name: string, store: CounterStore, { limit, seconds }: Rule): Limiter {
  const window: Window = { kind: 'sliding', seconds };
  const queue = createQueue(store);
  return {
    name,
    admits: async (client) => {
      const meter = { subject: 'ip' as const, key: buildCounterKey('ip', client, 'read', window), limit, window };
      return (await queue.submit({ cost: 1, meters: [meter] })).admitted;
    },
  };
}

/** Limiter: one of rate-limiter-flexible. */
export function createFlexibleLimiter(name: string, limiter: { consume(key: string): Promise<unknown> }): Limiter {
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

/** Limiter in front of a page. It counts by the header `x-client`. */
export function createHttpLimiter(name: string, url: string): Limiter {
  return {
    name,
    admits: async (client) => {
      const response = await fetch(url, { headers: { 'x-client': client } });
      await response.arrayBuffer();
      if (response.status !== 200 && response.status !== 429) throw new Error(`${name}: ${response.status}`);
      return response.status === 200;
    },
  };
}
