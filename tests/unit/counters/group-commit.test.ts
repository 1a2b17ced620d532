import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GroupCommit, GroupQueueFull } from '@/lib/counters/group-commit';
import { StoreUnavailable } from '@/lib/counters/store';

/** A decision maker whose answers are given by hand. */
function byHand() {
  const groups: {
    inputs: readonly number[];
    answer: (outputs: readonly string[]) => void;
    fail: (e: Error) => void;
  }[] = [];
  const decide = (inputs: readonly number[]) =>
    new Promise<readonly string[]>((answer, fail) => groups.push({ inputs, answer, fail }));
  return { groups, decide };
}

const echo = (inputs: readonly number[]) => inputs.map(String);

describe('the group queue', () => {
  it('decides what came in one turn together and in order', async () => {
    const sizes: number[] = [];
    const queue = new GroupCommit(async (group: readonly number[]) => {
      sizes.push(group.length);
      return group.map((n) => n * 2);
    });
    const first = Promise.all([1, 2, 3].map((n) => queue.submit(n)));
    // What is submitted in a microtask of the same turn belongs to it too.
    const fourth = Promise.resolve().then(() => queue.submit(4));
    expect(await first).toEqual([2, 4, 6]);
    expect(await fourth).toBe(8);
    expect(await queue.submit(5)).toBe(10);
    expect(sizes).toEqual([4, 1]);
  });

  it('tells receivers as it answers promises, in one group with them', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide, { maximumWaiting: 3 });
    const told: unknown[] = [];
    const receiver = (name: string) => ({
      resolve: (value: string) => told.push(`${name}: ${value}`),
      reject: (error: unknown) => told.push(error),
    });
    const promised = queue.submitAll([1, 2]);
    queue.submitTo(3, receiver('third'));
    queue.submitTo(4, receiver('fourth'));
    expect(told).toEqual([expect.any(GroupQueueFull)]);
    await turn();
    groups[0]!.answer(['one', 'two', 'three']);
    expect(await promised).toEqual(['one', 'two']);
    expect(told.slice(1)).toEqual(['third: three']);
    queue.submitTo(5, receiver('fifth'));
    await turn();
    const fault = new Error('The store is away.');
    groups[1]!.fail(fault);
    await expect.poll(() => told.slice(2)).toEqual([fault]);
  });

  it('lets the next group grow while one is under way', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide);
    const answers = [queue.submit(1)];
    await turn();
    answers.push(queue.submit(2));
    await turn();
    answers.push(queue.submit(3));
    await turn();
    expect(groups.map(({ inputs }) => inputs)).toEqual([[1]]);
    expect(queue.waiting).toBe(2);
    groups[0]!.answer(['one']);
    expect(await answers[0]).toBe('one');
    await turn();
    await turn();
    expect(groups.map(({ inputs }) => inputs)).toEqual([[1], [2, 3]]);
    groups[1]!.answer(['two', 'three']);
    expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  });

  it('keeps as many groups under way as it may, and matches answers that overtake', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide, { depth: 2 });
    const answers: Promise<string>[] = [];
    for (const n of [1, 2, 3]) {
      answers.push(queue.submit(n));
      await turn();
      await turn();
    }
    expect(groups.map(({ inputs }) => inputs)).toEqual([[1], [2]]);
    groups[1]!.answer(['2']);
    expect(await answers[1]).toBe('2');
    await turn();
    await turn();
    expect(groups.map(({ inputs }) => inputs)).toEqual([[1], [2], [3]]);
    groups[2]!.answer(['3']);
    groups[0]!.answer(['1']);
    expect(await Promise.all(answers)).toEqual(['1', '2', '3']);
  });

  it('makes no group larger than it may be', async () => {
    const sizes: number[] = [];
    const queue = new GroupCommit(
      async (group: readonly number[]) => {
        sizes.push(group.length);
        return echo(group);
      },
      { maximumGroup: 4 },
    );
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => queue.submit(n)));
    expect(answers).toEqual(Array.from({ length: 10 }, (_, n) => String(n)));
    expect(sizes).toEqual([4, 4, 2]);
  });

  it('decides what is submitted together in one group, whatever else waits', async () => {
    const groups: (readonly number[])[] = [];
    const queue = new GroupCommit(
      async (group: readonly number[]) => {
        groups.push(group);
        return echo(group);
      },
      { maximumGroup: 4 },
    );
    const answers = await Promise.all([
      queue.submit(1),
      queue.submitAll([2, 3]),
      queue.submitAll([4, 5]),
      queue.submitAll([6, 7, 8, 9, 10]),
      queue.submit(11),
      queue.submitAll([]),
    ]);
    expect(answers).toEqual(['1', ['2', '3'], ['4', '5'], ['6', '7', '8', '9', '10'], '11', []]);
    expect(groups).toEqual([[1, 2, 3], [4, 5], [6, 7, 8, 9, 10], [11]]);
  });

  it('takes all of what is submitted together or none of it', async () => {
    const decided: number[] = [];
    const queue = new GroupCommit(
      async (group: readonly number[]) => {
        decided.push(...group);
        return echo(group);
      },
      { maximumWaiting: 3 },
    );
    const first = queue.submitAll([1, 2]);
    await expect(queue.submitAll([3, 4])).rejects.toThrow(GroupQueueFull);
    const last = queue.submit(5);
    expect(queue.waiting).toBe(3);
    expect(await first).toEqual(['1', '2']);
    expect(await last).toBe('5');
    expect(decided).toEqual([1, 2, 5]);
    expect(queue.waiting).toBe(0);
  });

  it('divides what waits over the calls that are free, but not into crumbs', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide, { depth: 3, divideFrom: 2 });
    const answers = [1, 2, 3, 4, 5, 6, 7].map((n) => queue.submit(n));
    await turn();
    expect(groups.map(({ inputs }) => inputs)).toEqual([
      [1, 2, 3],
      [4, 5],
      [6, 7],
    ]);
    answers.push(...[8, 9].map((n) => queue.submit(n)));
    groups[1]!.answer(['4', '5']);
    await answers[3];
    await turn();
    await turn();
    expect(groups.map(({ inputs }) => inputs).at(-1)).toEqual([8, 9]);
    groups[0]!.answer(['1', '2', '3']);
    groups[2]!.answer(['6', '7']);
    groups[3]!.answer(['8', '9']);
    expect(await Promise.all(answers)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it('gives each call at least as many as it says, and the last one the rest', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide, { depth: 3, divideFrom: 2 });
    const answers = [1, 2, 3].map((n) => queue.submit(n));
    await turn();
    expect(groups.map(({ inputs }) => inputs)).toEqual([[1, 2], [3]]);
    for (const { inputs, answer } of groups) answer(inputs.map(String));
    expect(await Promise.all(answers)).toEqual(['1', '2', '3']);
  });

  it('makes groups alike again when they have become uneven', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide, { depth: 2, divideFrom: 1 });
    void queue.submit(1);
    await turn();
    for (const n of [2, 3, 4, 5, 6]) void queue.submit(n);
    await turn();
    groups[0]!.answer(['1']);
    await turn();
    await turn();
    expect(groups.map(({ inputs }) => inputs)).toEqual([[1], [2, 3, 4], [5, 6]]);
  });

  it('divides nothing unless it is told to, and makes no group larger than it may be when it divides', async () => {
    const whole = byHand();
    const undivided = new GroupCommit(whole.decide, { depth: 3 });
    for (const n of [1, 2, 3, 4, 5, 6, 7]) void undivided.submit(n);
    await turn();
    expect(whole.groups.map(({ inputs }) => inputs)).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
    const small = byHand();
    const divided = new GroupCommit(small.decide, { depth: 2, divideFrom: 1, maximumGroup: 3 });
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) void divided.submit(n);
    await turn();
    expect(small.groups.map(({ inputs }) => inputs)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(divided.waiting).toBe(2);
  });

  it('refuses what comes when it is full, and takes again when it is not', async () => {
    const { groups, decide } = byHand();
    const queue = new GroupCommit(decide, { maximumWaiting: 2 });
    const waiting = [queue.submit(1), queue.submit(2)];
    const refused = queue.submit(3);
    await expect(refused).rejects.toThrow(GroupQueueFull);
    await expect(refused).rejects.toThrow(StoreUnavailable);
    await turn();
    const later = queue.submit(4);
    groups[0]!.answer(['1', '2']);
    expect(await Promise.all(waiting)).toEqual(['1', '2']);
    await turn();
    await turn();
    groups[1]!.answer(['4']);
    expect(await later).toBe('4');
  });

  it('tells everyone in a group that it failed, and continues', async () => {
    let fail = true;
    const queue = new GroupCommit(async (group: readonly number[]) => {
      if (fail) throw new StoreUnavailable('gone');
      return echo(group);
    });
    const results = await Promise.allSettled([queue.submit(1), queue.submit(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail = false;
    expect(await queue.submit(3)).toBe('3');
  });

  it('gets over a decision that throws at once, and one that forgets somebody', async () => {
    const broken = new GroupCommit<number, string>(() => {
      throw new Error('at once');
    });
    await expect(broken.submit(1)).rejects.toThrow('at once');
    await expect(broken.submit(2)).rejects.toThrow('at once');
    const short = new GroupCommit(async (group: readonly number[]) => echo(group.slice(1)));
    await expect(Promise.all([short.submit(1), short.submit(2)])).rejects.toThrow('as a whole');
  });
});
