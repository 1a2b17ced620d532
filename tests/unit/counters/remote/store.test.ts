import type { InStatement } from '@libsql/client';
import { describe, expect, it } from 'vitest';
import { collectCounters, parseSlidingCounter, replayCounter } from '@/lib/counters/remote/group';
import { type Execute, RemoteCounters, type RemoteCountersOptions, RemoteSweep } from '@/lib/counters/remote/store';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { createSliding, EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = { kind: 'sliding', seconds: 60 } as const;
const MONTH = { kind: 'month' } as const;
const meter = (key: string, limit: number, over: Partial<Meter> = {}): Meter => ({
  subject: 'ip',
  key,
  limit,
  window: MINUTE,
  ...over,
});
const GROUP: Attempt[] = [{ cost: 1, meters: [meter('a', 5)] }];

const busy = () => Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });
const result = (...cells: unknown[]) => ({ rows: cells.length > 0 ? [cells] : [], rowsAffected: 0 });

/** A store on a server whose answers are given by hand. */
function opened(answers: ((statements: InStatement[]) => unknown)[], options: Partial<RemoteCountersOptions> = {}) {
  const pauses: number[] = [];
  let calls = 0;
  const answer = async (statements: InStatement[]) => answers[Math.min(calls++, answers.length - 1)]?.(statements);
  const client = { batch: answer, execute: async (statement: InStatement) => answer([statement]) };
  const store = new RemoteCounters({
    client: client as unknown as RemoteCountersOptions['client'],
    clock: () => NOW,
    wait: async (milliseconds) => {
      pauses.push(milliseconds);
    },
    random: () => 0.5,
    ...options,
  });
  return { store, pauses, calls: () => calls };
}
const fails = (error: () => Error) => () => {
  throw error();
};
const decides = (text: unknown) => (statements: InStatement[]) => {
  expect(statements).toHaveLength(5);
  return [result(), result(), result(), result(text), result()];
};

describe('a libSQL server that answers', () => {
  it('with what it has counted: the verdicts are those of the judge', async () => {
    const { store } = opened([decides(JSON.stringify([0, NOW, [[4, NOW / 1_000]]]))]);
    expect(await store.commit(0, GROUP)).toMatchObject({
      kind: 'decided',
      now: NOW,
      verdicts: [{ admitted: true, readings: [{ used: 5, remaining: 0 }] }],
    });
  });

  it('with another revision', async () => {
    const { store } = opened([decides('[7,null,[null]]')]);
    expect(await store.commit(0, GROUP)).toEqual({ kind: 'stale', revision: 7 });
  });

  it.each([null, 7, '{}', '[]', '["0",1,[]]', '[0,null,[[1,1]]]', '[0,1,null]'])(
    'with something else, %j, has decided nothing',
    async (text) => {
      const { store } = opened([decides(text)]);
      await expect(store.commit(0, GROUP)).rejects.toThrow('The libSQL server did not decide the group.');
    },
  );

  it.each([null, '[]', '["x",[]]', '[1,null]'])(
    'a question with something else, %j, has not answered',
    async (text) => {
      const { store } = opened([() => result(text)]);
      await expect(store.read([{ key: 'a', window: MINUTE }])).rejects.toThrow(
        'The libSQL server did not answer the question.',
      );
    },
  );

  it('a question: windows, months, and what has counted nothing', async () => {
    const said = [
      [
        [NOW / 1_000 - 1, 2, 0],
        [NOW / 1_000, 1, 0],
      ],
      [[24_322, 9, 4]],
      [],
      [],
    ];
    const { store } = opened([() => result(JSON.stringify([NOW, said]))]);
    const asked = [MINUTE, MONTH, MINUTE, MONTH].map((window, i) => ({ key: `k${i}`, window }));
    expect((await store.read(asked)).map(({ key, used }) => [key, used])).toEqual([
      ['k0', 3],
      ['k1', 5],
      ['k2', 0],
      ['k3', 0],
    ]);
  });
});

describe('a libSQL server that does not', () => {
  it('because it is busy: is asked again five times, after pauses that grow', async () => {
    const { store, pauses, calls } = opened([fails(busy)]);
    await expect(store.ping()).rejects.toThrow(new StoreUnavailable('The libSQL server stays locked.'));
    expect(calls()).toBe(6);
    expect(pauses).toEqual([5, 10, 20, 40, 80]);
    const longest = opened([fails(busy)], { random: () => 0 });
    await expect(longest.store.ping()).rejects.toThrow(StoreUnavailable);
    expect(longest.pauses).toEqual([2.5, 5, 10, 20, 40]);
  });

  it('because it was busy: works again when it no longer is', async () => {
    const { store, calls } = opened([fails(busy), fails(busy), () => result()]);
    await store.ping();
    expect(calls()).toBe(3);
  });

  it('for another reason: is not asked again', async () => {
    const { store, calls, pauses } = opened([fails(() => new Error('lost'))]);
    const error = await store.ping().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toMatchObject({
      message: 'The libSQL server cannot be reached, or cannot write.',
      cause: { message: 'lost' },
    });
    expect([calls(), pauses]).toEqual([1, []]);
  });

  it('in time: is given up', async () => {
    const { store, calls } = opened([() => new Promise(() => undefined)], { timeout: 5 });
    await expect(store.ping()).rejects.toThrow('The libSQL server did not answer in time.');
    expect(calls()).toBe(1);
  });
});

describe('the counters of a group', () => {
  it('are asked for once, with the use up to which no refusal is possible', () => {
    const { needed, windows } = collectCounters([
      { cost: 2, meters: [meter('a', 9), meter('q', 4, { window: MONTH, unlimited: true })] },
      { cost: 3, meters: [meter('a', 7), meter('b', 5, { window: { kind: 'sliding', seconds: 7 } })] },
      { cost: 0, meters: [meter('b', 1, { window: { kind: 'sliding', seconds: 7 } })] },
    ]);
    expect(needed).toEqual([
      ['a', 60, 2],
      ['q', 0, Number.MAX_SAFE_INTEGER - 2],
      ['b', 7, 2],
    ]);
    expect([...windows]).toEqual([
      ['a', MINUTE],
      ['q', MONTH],
      ['b', { kind: 'sliding', seconds: 7 }],
    ]);
  });

  it.each([-1, 0.5, 2 ** 53])('cannot be asked for at a cost of %d', (cost) => {
    expect(() => collectCounters([{ cost, meters: [] }])).toThrow('A cost is a whole number, at least 0.');
  });

  it('cannot be asked for by two windows', () => {
    const two = [meter('a', 1), meter('a', 1, { window: { kind: 'sliding', seconds: 61 } })];
    expect(() => collectCounters([{ cost: 1, meters: two }])).toThrow('One key has one window.');
  });

  it('are read as the server says them', () => {
    expect(replayCounter([3, 100], MINUTE, NOW)).toEqual(createSliding(100, [3]));
    expect(
      replayCounter(
        [
          3,
          100,
          [
            [98, 1],
            [100, 2],
          ],
        ],
        MINUTE,
        NOW,
      ),
    ).toEqual(createSliding(100, [2, 0, 1]));
    expect(replayCounter([9, 4], MONTH, NOW)).toEqual({ kind: 'month', month: 24_322, hits: 9, floor: 4 });
    expect(replayCounter([0, null], MINUTE, NOW)).toEqual(EMPTY_SLIDING);
    for (const nothing of [null, [], ['3', 100], { 0: 3, 1: 100 }]) {
      expect(replayCounter(nothing, MINUTE, NOW)).toEqual(EMPTY_SLIDING);
      expect(replayCounter(nothing, MONTH, NOW)).toEqual({ kind: 'month', month: 24_322, hits: 0, floor: 0 });
    }
    for (const nothing of [null, [], [1, 2], [['x', 1]]]) {
      expect(parseSlidingCounter(nothing)).toEqual(EMPTY_SLIDING);
    }
  });
});

describe('the sweep of a libSQL server', () => {
  function sweeping(ends: unknown[][]) {
    const made: (string | number)[][] = [];
    const time = { now: NOW };
    const execute: Execute = async (sql, args) => {
      made.push(args);
      if (sql.includes('delete')) return { rows: [], changes: 3 };
      const end = ends.shift();
      return { rows: end === undefined ? [] : [end], changes: 0 };
    };
    return { made, time, sweep: new RemoteSweep(execute, () => time.now) };
  }

  it('goes from row to row, rests a minute after the last one, and begins again', async () => {
    const { made, time, sweep } = sweeping([
      ['a', 5],
      ['b', 7],
    ]);
    expect([await sweep.run(10), await sweep.run(10), await sweep.run(10)]).toEqual([3, 3, 0]);
    expect(made).toEqual([
      ['', -1, 10],
      ['', -1, 'a', 5],
      ['a', 5, 10],
      ['a', 5, 'b', 7],
      ['b', 7, 10],
    ]);
    time.now += 59_999;
    expect(await sweep.run(10)).toBe(0);
    expect(made).toHaveLength(5);
    time.now += 1;
    await sweep.run(10);
    expect(made.at(-1)).toEqual(['', -1, 10]);
  });

  it('does not rest longer because the clock went back', async () => {
    const { made, time, sweep } = sweeping([]);
    await sweep.run(10);
    time.now -= 60_000;
    await sweep.run(10);
    expect(made).toHaveLength(2);
  });

  it('does one step at a time, and continues after one that failed', async () => {
    let answer = (_: Error) => {};
    const made: unknown[] = [];
    const execute: Execute = (_, args) => {
      made.push(args);
      return new Promise((_resolve, reject) => {
        answer = reject;
      });
    };
    const sweep = new RemoteSweep(execute, () => NOW);
    const first = sweep.run(10);
    expect(await sweep.run(10)).toBe(0);
    expect(made).toHaveLength(1);
    answer(new StoreUnavailable('down'));
    await expect(first).rejects.toThrow('down');
    void sweep.run(10);
    expect(made).toHaveLength(2);
  });
});
