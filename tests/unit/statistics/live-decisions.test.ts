import { expect, it } from 'vitest';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { type LiveOptions, streamDecisions } from '@/lib/statistics/live-decisions';

function options(change: Partial<LiveOptions>): LiveOptions {
  return {
    after: 0,
    read: async () => [],
    wait: async () => undefined,
    mayGoOn: async () => true,
    isOver: () => false,
    signal: new AbortController().signal,
    ...change,
  };
}

const row = (id: number) => ({ id }) as LoggedDecision;

it('sends a heartbeat every 15 seconds in which nothing happened', async () => {
  let waited = 0;
  const stream = streamDecisions(
    options({
      wait: async (milliseconds) => {
        waited += milliseconds;
      },
    }),
  );
  for (let beat = 1; beat <= 3; beat += 1) {
    expect((await stream.next()).value).toBe('heartbeat');
    expect(waited).toBe(beat * 15_000);
  }
});

it('ends when the listener may not listen any more', async () => {
  let asked = 0;
  const stream = streamDecisions(options({ mayGoOn: async () => ++asked < 3 }));
  const events = [];
  for await (const event of stream) events.push(event);
  expect(events).toEqual(['heartbeat', 'heartbeat']);
});

it('ends when the process stops', async () => {
  let over = false;
  const stream = streamDecisions(
    options({
      isOver: () => over,
      wait: async () => {
        over = true;
      },
    }),
  );
  expect((await stream.next()).done).toBe(true);
});

it('outlives a look that failed, without leaving out or repeating', async () => {
  let look = 0;
  const stream = streamDecisions(
    options({
      after: 4,
      read: async (after) => {
        look += 1;
        if (look === 2) throw new Error('gone');
        return look === 1 ? [row(5), row(7)] : [row(8)].filter((decision) => decision.id > after);
      },
    }),
  );
  const ids = [];
  for (let n = 0; n < 3; n += 1) {
    const { value } = await stream.next();
    ids.push(typeof value === 'object' ? value.id : value);
  }
  expect(ids).toEqual(['5', '7', '8']);
});
