import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { processorWait } from '@/lib/counters/redis/processor-wait';
import { Vigil } from '@/lib/counters/redis/vigil';

/** A vigil whose time and turns are told. */
function told(processors = 2) {
  let now = 0;
  let waited: number | null = 0;
  let next: (() => void) | null = null;
  const vigil = new Vigil({
    monotonic: () => now,
    nextTurn: (work) => {
      expect(next).toBeNull();
      next = work;
    },
    processors,
    waited: () => waited,
  });
  return {
    vigil,
    isAwake: () => {
      expect(vigil.isKept).toBe(next !== null);
      return next !== null;
    },
    /** Time passes, and the loop turns where it was kept awake. */
    turn: (milliseconds: number) => {
      now += milliseconds;
      const work = next;
      next = null;
      work?.();
    },
    /** It has waited for a processor for so much longer; null where the system does not say. */
    wait: (milliseconds: number | null) => {
      waited = milliseconds === null || waited === null ? null : waited + milliseconds;
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

/** One call in each millisecond, and one more. */
async function calls({ call, turn }: ReturnType<typeof told>, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 1) {
    await call(0.04);
    turn(0.96);
  }
  await call(0.04);
}

it('leaves the processors to others once it has to wait for them, for longer each time', async () => {
  const one = told();
  await calls(one, 150);
  expect(one.isAwake()).toBe(true);
  one.wait(9);
  await calls(one, 100);
  expect(one.isAwake()).toBe(true);
  // A moment is not a crowd.
  one.wait(11);
  await calls(one, 60);
  expect(one.isAwake()).toBe(false);
  await calls(one, 100);
  expect(one.isAwake()).toBe(true);
  const awakeOf = async (milliseconds: number, wait: number) => {
    let awake = 0;
    for (let passed = 0; passed < milliseconds; passed += 1) {
      one.wait(wait);
      await calls(one, 1);
      if (one.isAwake()) awake += 1;
    }
    return awake;
  };
  expect(await awakeOf(10_000, 0.2)).toBeLessThan(800);
  await calls(one, 2_000);
  one.wait(15);
  const awake = await awakeOf(1_000, 0);
  expect(awake).toBeGreaterThan(850);
  expect(awake).toBeLessThan(950);
});

it('sleeps where nobody knows whether others need the processors', async () => {
  const one = told();
  one.wait(null);
  await calls(one, 1_500);
  expect(one.isAwake()).toBe(false);
});

it.runIf(processorWait() !== null)('knows that it waits for a processor where others take all of them', async () => {
  const before = processorWait() ?? 0;
  const others = Array.from({ length: 2 * availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  onTestFinished(() => void others.map((other) => other.kill('SIGKILL')));
  await expect
    .poll(
      () => {
        const until = performance.now() + 20;
        while (performance.now() < until);
        return (processorWait() ?? 0) - before;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(5);
});
