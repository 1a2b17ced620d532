import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CounterStore } from '@/lib/counters/store';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { type OpenedStore, STORES } from './opened-stores';

/** Never refuses, so that what it has counted is what was sent. */
const MOST = { limit: 0, unlimited: true } as const;

function meter(name: string, seconds: number): Meter {
  const window = { kind: 'sliding', seconds } as const;
  return { subject: 'ip', key: `ip|${name}|read|${seconds}`, window, ...MOST };
}

function quota(name: string): Meter {
  return { subject: 'quota', key: `quota|${name}|month`, window: { kind: 'month' }, ...MOST };
}

/** The counters of a subject that is reset, and of its twin, which gets the same requests and never is. */
const NAMES = { reset: 'reset', twin: 'twin' } as const;
const metersOf = (name: string) => [meter(name, 1), meter(name, 2), meter(name, 3600), quota(name)];

const until = () => Date.now() + 60_000;

describe.each(STORES.filter(({ missing }) => !missing))('resets of the $name store, undone', ({ open }) => {
  let opened: OpenedStore;
  let store: CounterStore;
  let seq = 0;

  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());

  const send = async (scope: string, ...costs: number[]) => {
    const meters = [...metersOf(scope + NAMES.reset), ...metersOf(scope + NAMES.twin)];
    const attempts = costs.map((cost): Attempt => ({ meters, cost }));
    const commit = await store.commit(0, attempts);
    if (commit.kind !== 'decided') throw new Error('It was not decided.');
  };
  const reset = async (scope: string, by: 'prefix' | 'keys') => {
    seq += 1;
    const kept = { seq, until: until() };
    const name = scope + NAMES.reset;
    const selection =
      by === 'prefix'
        ? { prefix: `ip|${name}|` }
        : { keys: metersOf(name).flatMap(({ key }) => (key.startsWith('ip') ? [key] : [])) };
    await opened.apply(store.clear(selection, kept));
    await opened.apply(store.resetUsage({ key: quota(name).key, window: { kind: 'month' } }, kept));
    return seq;
  };
  /** What both have counted, read at one moment. */
  const both = async (scope: string) => {
    const states = await store.read([...metersOf(scope + NAMES.reset), ...metersOf(scope + NAMES.twin)]);
    const shown = states.map(({ used, slots, reset: end }) => ({ used, slots, end }));
    return [shown.slice(0, 4), shown.slice(4)] as const;
  };

  it.each([
    ['a candidate', 'ip|candidate|read|c1|3600'],
    ['a candidate of an earlier version', 'ip|earlier|read|3600|c1'],
    ['places in flight', 'limit|someone|l1|+3600'],
  ])('give back the counter of %s', async (_, key) => {
    const meter: Meter = { subject: 'ip', key, window: { kind: 'sliding', seconds: 3600 }, ...MOST };
    const count = async () => (await store.read([meter]))[0]?.used;
    await store.commit(0, [{ meters: [meter], cost: 3 }]);
    seq += 1;
    const prefix = key.split('|').slice(0, 2).join('|');
    await opened.apply(store.clear({ prefix: `${prefix}|` }, { seq, until: until() }));
    expect(await count()).toBe(0);
    await opened.apply(store.restore(seq));
    expect(await count()).toBe(3);
  });

  it('leave every slot as if there had been no reset, whatever was counted since', async () => {
    let scope = 0;
    const costs = fc.array(fc.constantFrom(1, 2, 7), { maxLength: 4 });
    const round = fc.record({
      before: costs,
      since: costs,
      pause: fc.constantFrom(0, 20, 120),
      by: fc.constantFrom('prefix', 'keys'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
        scope += 1;
        const undone: number[] = [];
        for (const { before, since, pause, by } of rounds) {
          await send(`${scope}.`, ...before);
          await wait(pause);
          undone.push(await reset(`${scope}.`, by as 'prefix' | 'keys'));
          await send(`${scope}.`, ...since);
          await wait(pause);
        }
        for (const number of undone.reverse()) await opened.apply(store.restore(number));
        const [one, other] = await both(`${scope}.`);
        expect(one).toEqual(other);
        await send(`${scope}.`, 1);
        const [after, twin] = await both(`${scope}.`);
        expect(after).toEqual(twin);
      }),
      { numRuns: 20 },
    );
  });

  it('lose nothing that is decided at the same moment', async () => {
    await send('busy.', 5);
    const traffic = async () => {
      for (let i = 0; i < 40; i += 1) await send('busy.', 1, 1);
    };
    const changes = async () => {
      for (let i = 0; i < 10; i += 1) {
        const number = await reset('busy.', i % 2 === 0 ? 'prefix' : 'keys');
        await wait(3);
        await opened.apply(store.restore(number));
      }
    };
    await Promise.all([traffic(), traffic(), changes()]);
    const [one, other] = await both('busy.');
    expect(one).toEqual(other);
    expect(one[2]?.used).toBe(5 + 2 * 80);
  });

  it('are undone once', async () => {
    await send('once.', 3);
    const number = await reset('once.', 'prefix');
    await opened.apply(store.restore(number));
    await opened.apply(store.restore(number));
    const [one, other] = await both('once.');
    expect(one[2]).toEqual(other[2]);
    expect(one[3]).toEqual(other[3]);
  });

  it('bring nothing back that was not kept', async () => {
    await send('gone.', 3);
    await opened.apply(store.clear({ prefix: 'ip|gone.reset|' }));
    await opened.apply(store.restore(999_999));
    expect((await both('gone.'))[0][2]?.used).toBe(0);
  });
});
