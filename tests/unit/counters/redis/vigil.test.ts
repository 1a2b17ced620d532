import { expect, it } from 'vitest';
import { Vigil } from '@/lib/counters/redis/vigil';

/** A vigil whose time and turns are told. */
function told(processors = 2) {
  let now = 0;
  let preemptions = 0;
  let next: (() => void) | null = null;
  const vigil = new Vigil({
    monotonic: () => now,
    nextTurn: (work) => {
      expect(next).toBeNull();
      next = work;
    },
    processors,
    preemptions: () => preemptions,
  });
  return {
    vigil,
    isAwake: () => next !== null,
    /** Time passes, and the loop turns where it was kept awake. */
    turn: (milliseconds: number) => {
      now += milliseconds;
      const work = next;
      next = null;
      work?.();
    },
    /** Others run so many times instead. */
    preempt: (times: number) => {
      preemptions += times;
    },
    /** A call that takes so long. */
    call: async (milliseconds: number) => {
      await vigil.during(async () => {
        now += milliseconds;
      });
    },
  };
}

it('keeps the loop awake while a call is under way that is usually quick, and no longer', async () => {
  const { vigil, isAwake, turn, call } = told();
  await call(0.04);
  let answer = () => {};
  const call2 = vigil.during(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      }),
  );
  for (let turns = 0; turns < 3; turns += 1) {
    expect(isAwake()).toBe(true);
    turn(0.02);
  }
  answer();
  await call2;
  turn(0.001);
  expect(isAwake()).toBe(false);
});

it('gives up once a call takes longer than a quick one', async () => {
  const { vigil, isAwake, turn, call } = told();
  await call(0.04);
  void vigil.during(() => new Promise(() => undefined));
  turn(0.19);
  expect(isAwake()).toBe(true);
  turn(0.02);
  expect(isAwake()).toBe(false);
});

it.each([
  { processors: 2, usual: 0.3 },
  { processors: 1, usual: 0.04 },
])('sleeps where calls take $usual ms with $processors processors', async ({ processors, usual }) => {
  const { isAwake, call } = told(processors);
  for (let calls = 0; calls < 50; calls += 1) await call(usual);
  expect(isAwake()).toBe(false);
});

it('sleeps before it knows how long calls take, and again once they take long', async () => {
  const { isAwake, turn, call } = told();
  await call(0.04);
  expect(isAwake()).toBe(false);
  await call(0.04);
  expect(isAwake()).toBe(true);
  turn(0.2);
  for (let calls = 0; calls < 50; calls += 1) {
    await call(2);
    turn(1);
  }
  await call(2);
  expect(isAwake()).toBe(false);
});

it('leaves the processors to others for a second once they need them', async () => {
  const { isAwake, turn, call, preempt } = told();
  const calls = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 1) {
      await call(0.04);
      turn(0.96);
    }
    await call(0.04);
  };
  await calls(150);
  expect(isAwake()).toBe(true);
  preempt(100);
  await calls(150);
  expect(isAwake()).toBe(false);
  await calls(500);
  expect(isAwake()).toBe(false);
  await calls(600);
  expect(isAwake()).toBe(true);
  preempt(10);
  await calls(200);
  expect(isAwake()).toBe(true);
});
